// A server whose time goes where it is known to: answers every request after some work. Arguments: port, how.
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUND 1000000

volatile unsigned long sink;

__attribute__((noinline)) void spin(unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		sink += i * i;
}

__attribute__((noinline)) void three_parts(void)
{
	for (unsigned long i = 0; i < 9 * ROUND; i++)
		sink += i * i;
}

__attribute__((noinline)) void one_part(void)
{
	for (unsigned long i = 0; i < 3 * ROUND; i++)
		sink += i * i;
}

__attribute__((noinline)) void caller(void)
{
	spin(6 * ROUND);
	sink++;
}

__attribute__((noinline)) void reads(void)
{
	static char buffer[1 << 20];
	int zero = open("/dev/zero", O_RDONLY);
	for (int i = 0; i < 200; i++)
		sink += read(zero, buffer, sizeof(buffer));
	close(zero);
	sink++;
}

static void work(const char *how)
{
	if (!strcmp(how, "parts")) {
		three_parts();
		one_part();
	} else if (!strcmp(how, "caller")) {
		caller();
		sink++;
	} else if (!strcmp(how, "reads")) {
		reads();
		sink++;
	} else if (!strcmp(how, "forks")) {
		pid_t child = fork();
		if (!child) {
			caller();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

int main(int count, char **arguments)
{
	struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(own);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	if (count < 2 || bind(listener, (void *)&own, sizeof(own)) || listen(listener, 8) ||
	    getsockname(listener, (void *)&own, &length))
		return 1;
	printf("%d\n", ntohs(own.sin_port));
	fflush(stdout);
	for (;;) {
		char request[65536];
		size_t got = 0;
		ssize_t more;
		int client = accept(listener, NULL, NULL);
		while (client >= 0 && (more = read(client, request + got, sizeof(request) - 1 - got)) > 0) {
			got += more;
			request[got] = 0;
			if (!strstr(request, "\r\n\r\n"))
				continue;
			got = 0;
			work(arguments[1]);
			static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
			if (write(client, answer, sizeof(answer) - 1) < 0)
				break;
		}
		close(client);
	}
}
