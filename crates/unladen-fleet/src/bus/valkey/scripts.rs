//! Scripts that the engine runs atomically. Each gets the keys `about`, `purges`, `nodes` and `positions`, and as its
//! first argument a token for the case that there is none.

/// Prefix of each script: gets the token of this history, or begins one if it has none or an invalid count, or if the
/// list of nodes has lost its mark: an engine whose memory is full may have removed that key alone. The mark is no
/// valid name of a node, and never expires.
///
/// The returned token begins with the engine's replication id, which changes at each promotion: a server that was a
/// replica in between is the same process, with the same keys.
pub(super) const BEGINNING: &str = r"
local function begin()
  local time = redis.call('TIME')
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'count', '0', 'began', time[1])
  redis.call('ZADD', KEYS[3], 'inf', '=' .. ARGV[1])
  return ARGV[1]
end
local replication = redis.call('INFO', 'replication')
if not string.find(replication, 'role:master', 1, true) then
  return redis.error_reply('READONLY this one is a replica')
end
local token = redis.call('HGET', KEYS[1], 'token')
local known = tonumber(redis.call('HGET', KEYS[1], 'count'))
local is_count = known and known >= 0 and known < 9007199254740992 and known % 1 == 0
if not token or not is_count or not redis.call('ZSCORE', KEYS[3], '=' .. token) then
  token = begin()
  known = 0
end
local told_token = string.sub(string.match(replication, 'master_replid:(%x+)') or '', 1, 16) .. '.' .. token
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
";

/// Appends records, and trims to `keep`. If the stream has foreign entries, or the key is no stream, a new history
/// begins.
pub(super) const PUBLISH: &str = r"
local last = known
for i = 3, #ARGV do
  last = last + 1
  local id = string.format('%.0f', last) .. '-0'
  local added = redis.pcall('XADD', KEYS[2], 'MAXLEN', '~', ARGV[2], id, 'r', ARGV[i])
  if type(added) == 'table' and added.err then
    for _, of_others in ipairs({'equal or smaller', 'last possible ID', 'WRONGTYPE'}) do
      if string.find(added.err, of_others, 1, true) then begin() break end
    end
    return added
  end
  redis.call('HSET', KEYS[1], 'count', string.format('%.0f', last))
end
return {told_token, last}
";

/// Reads a number of records from an id. The content of oversized ones is left out: the reader knows that something was
/// there.
pub(super) const READ: &str = r"
local began = tonumber(redis.call('HGET', KEYS[1], 'began')) or 0
local told = {told_token, known, math.max(0, math.floor(now() / 1000) - began)}
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], ARGV[2], '+', 'COUNT', ARGV[3])) do
  local record = entry[2][2] or ''
  if #record > 20480 then record = '' end
  told[#told + 1] = entry[1]
  told[#told + 1] = record
end
return told
";

/// A node, its position and its lease in milliseconds. Removes those whose lease is over.
pub(super) const CONFIRM: &str = r"
local time = now()
redis.call('ZADD', KEYS[3], string.format('%.0f', time + tonumber(ARGV[4])), ARGV[2])
redis.call('HSET', KEYS[4], ARGV[2], ARGV[3])
local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', string.format('%.0f', time), 'LIMIT', 0, 100)
for _, node in ipairs(over) do
  redis.call('ZREM', KEYS[3], node)
  redis.call('HDEL', KEYS[4], node)
end
return {told_token, known}
";

/// The end, and the nodes whose lease is not over, with their positions, up to a maximum.
pub(super) const MEMBERS: &str = r"
local told = {told_token, known}
local live = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. string.format('%.0f', now()), '+inf', 'LIMIT', 0, ARGV[2] + 1)
for _, node in ipairs(live) do
  if node ~= '=' .. token then
    told[#told + 1] = node
    told[#told + 1] = redis.call('HGET', KEYS[4], node) or ''
  end
end
return told
";

pub(super) const LEAVE: &str = r"
redis.call('ZREM', KEYS[3], ARGV[2])
redis.call('HDEL', KEYS[4], ARGV[2])
return 1
";
