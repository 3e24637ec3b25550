//! The principal type is [`Fields`]: the fields of a protocol buffer message
//! (<https://protobuf.dev/programming-guides/encoding/>).

/// In order; ends after an error.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    base: usize,
    at: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub(super) number: u64,
    pub(super) value: Value<'a>,
    /// Where its value begins in the file.
    pub(super) at: usize,
}

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    /// Negative ones as two's complement.
    Number(u64),
    /// A text, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// A number of a type that profiles do not use.
    Fixed,
}

// === impl Fields ===

impl<'a> Fields<'a> {
    /// For a message that begins at this byte of the file.
    pub(super) fn of(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, base, at: 0 }
    }

    fn field(&mut self) -> Result<Field<'a>, Wrong> {
        let begin = self.at;
        let tag = varint(self.bytes, &mut self.at).map_err(|what| Wrong::new(self.base + begin, what))?;
        let at = self.at;
        let wrong = |what| Wrong::new(self.base + at, what);
        let value = match tag & 7 {
            0 => Value::Number(varint(self.bytes, &mut self.at).map_err(wrong)?),
            1 => self.skip(8)?,
            2 => {
                let length = varint(self.bytes, &mut self.at).map_err(wrong)?;
                let rest = &self.bytes[self.at..];
                let value = usize::try_from(length).ok().and_then(|length| rest.get(..length));
                let cut = || {
                    Wrong::new(
                        self.base + at,
                        format!("a field of {length} bytes, of which only {} are there", rest.len()),
                    )
                };
                let value = value.ok_or_else(cut)?;
                self.at += value.len();
                Value::Bytes(value)
            }
            5 => self.skip(4)?,
            other => {
                return Err(Wrong::new(
                    self.base + begin,
                    format!("a field of wire type {other}, which profiles do not have"),
                ));
            }
        };
        let at = match value {
            Value::Bytes(bytes) => self.at - bytes.len(),
            _ => at,
        };
        Ok(Field { number: tag >> 3, value, at: self.base + at })
    }

    fn skip(&mut self, length: usize) -> Result<Value<'a>, Wrong> {
        if self.bytes.len() - self.at < length {
            return Err(Wrong::new(self.base + self.at, "the file ends in a number"));
        }
        self.at += length;
        Ok(Value::Fixed)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, Wrong>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at >= self.bytes.len() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.at = self.bytes.len();
        }
        Some(field)
    }
}

impl Field<'_> {
    pub(super) fn number(&self) -> Result<u64, Wrong> {
        match self.value {
            Value::Number(number) => Ok(number),
            _ => Err(Wrong::new(self.at, format!("field {} holds no number", self.number))),
        }
    }

    pub(super) fn bytes(&self) -> Result<&[u8], Wrong> {
        match self.value {
            Value::Bytes(bytes) => Ok(bytes),
            _ => Err(Wrong::new(
                self.at,
                format!("field {} holds a number where a text or a message is expected", self.number),
            )),
        }
    }

    pub(super) fn numbers(&self, into: &mut Vec<u64>) -> Result<(), Wrong> {
        match self.value {
            Value::Number(number) => into.push(number),
            Value::Bytes(bytes) => {
                let mut at = 0;
                while at < bytes.len() {
                    into.push(varint(bytes, &mut at).map_err(|what| Wrong::new(self.at + at, what))?);
                }
            }
            Value::Fixed => return Err(Wrong::new(self.at, format!("field {} holds no whole numbers", self.number))),
        }
        Ok(())
    }
}

/// A number of seven bits per byte, the lowest first.
fn varint(bytes: &[u8], at: &mut usize) -> Result<u64, &'static str> {
    let mut number = 0_u64;
    for shift in (0..70).step_by(7) {
        let byte = *bytes.get(*at).ok_or("the file ends in a number")?;
        *at += 1;
        // The tenth byte has room for one bit.
        if shift == 63 && byte > 1 {
            break;
        }
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err("a number of more than 64 bits")
}

/// A fault of a file.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) at: usize,
    pub(super) what: String,
}

impl Wrong {
    pub(super) fn new(at: usize, what: impl Into<String>) -> Self {
        Self { at, what: what.into() }
    }
}
