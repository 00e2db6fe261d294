import { randomBytes } from 'node:crypto';

/** Where the launcher lies in every container, and what runs it: perl is in every Debian image (`perl-base`). */
export const INSIDE_LAUNCHER = '/usr/local/lib/hcp-launch';
export const INTERPRETER = '/usr/bin/perl';
/** The launcher's own failure; told from a program's 125 by the mark. */
export const LAUNCH_FAILED = 125;

/** What perl has no function for, on the two architectures that there is a syscall table for. */
const CALLS = { x64: { prctl: 157, signalfd4: 289 }, arm64: { prctl: 167, signalfd4: 74 } } as const;

/**
 * Pid 1 of every container. It gets the environment through stdin, so that neither a command line nor the daemon's inspect
 * output ever holds it (SPEC B4), and then holds stdin: when the worker dies, the daemon closes it, pid 1 ends, and the
 * kernel ends the rest of the pid namespace (SPEC S3). Nothing inside can stop that: pid 1 gets no signals from its own
 * namespace, and as it is not dumpable, no process of its uid may look into or write to its memory through /proc/1.
 */
export function launcherText(arch: keyof typeof CALLS): string {
  const { prctl, signalfd4 } = CALLS[arch];
  return `#!${INTERPRETER}
use strict;
use warnings;
use POSIX ();
syscall(${prctl}, 4, 0, 0, 0, 0) == 0 or POSIX::_exit(${LAUNCH_FAILED});
sub take {
    my $bytes = '';
    while (length($bytes) < $_[0]) {
        my $got = sysread(STDIN, $bytes, $_[0] - length($bytes), length($bytes));
        POSIX::_exit(${LAUNCH_FAILED}) unless $got;
    }
    return $bytes;
}
my ($mark, $length) = unpack('a32 N', take(36));
my @environment = split(/\\0/, take($length));
%ENV = ();
for (@environment) { my ($name, $value) = split(/=/, $_, 2); $ENV{$name} = $value }
mkdir('/tmp/home', 0700);
pipe(my $failed, my $fail) or POSIX::_exit(${LAUNCH_FAILED});
# Ends of children are read like bytes: a handler of perl could come between looking and waiting.
my $mask = POSIX::SigSet->new(POSIX::SIGCHLD());
POSIX::sigprocmask(POSIX::SIG_BLOCK(), $mask);
my $set = pack('Q', 1 << (POSIX::SIGCHLD() - 1));
my $fd = syscall(${signalfd4}, -1, $set, length($set), 02000000);
open(my $ended, '<&=', $fd) or POSIX::_exit(${LAUNCH_FAILED});
my $program = fork() // POSIX::_exit(${LAUNCH_FAILED});
if ($program == 0) {
    POSIX::sigprocmask(POSIX::SIG_UNBLOCK(), $mask);
    POSIX::setsid();
    open(STDIN, '<', '/dev/null');
    { no warnings; exec { $ARGV[0] } @ARGV; }
    syswrite($fail, $! + 0);
    POSIX::_exit(${LAUNCH_FAILED});
}
close($fail);
my $why;
do { $why = ''; } until defined(sysread($failed, $why, 16)) || !$!{EINTR};
if (length($why)) {
    syswrite(STDERR, "$mark $why\\n");
    POSIX::_exit(${LAUNCH_FAILED});
}
while (1) {
    my $ready = '';
    vec($ready, fileno(STDIN), 1) = 1;
    vec($ready, fileno($ended), 1) = 1;
    next if select($ready, undef, undef, undef) < 0;
    if (vec($ready, fileno($ended), 1)) {
        sysread($ended, my $drop, 128);
        while ((my $pid = waitpid(-1, POSIX::WNOHANG())) > 0) {
            POSIX::_exit($? & 127 ? 128 + ($? & 127) : $? >> 8) if $pid == $program;
        }
    }
    if (vec($ready, fileno(STDIN), 1)) {
        my $got = sysread(STDIN, my $drop, 4096);
        POSIX::_exit(137) unless $got || (!defined($got) && $!{EINTR});
    }
}
`;
}

export interface Launch {
  /** What is written to the container's stdin first. */
  header: Buffer;
  /** Begins the launcher's last line on stderr when the program could not be started; nothing inside knows it. */
  mark: string;
}

/** Makes what the launcher reads: a mark, a length and `NAME=value` pairs, each ended by a NUL. */
export function makeLaunch(env: Readonly<Record<string, string>>): Launch {
  const mark = randomBytes(16).toString('hex');
  const pairs = Buffer.from(
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\0`)
      .join(''),
  );
  const length = Buffer.alloc(4);
  length.writeUInt32BE(pairs.length);
  return { header: Buffer.concat([Buffer.from(mark), length, pairs]), mark };
}

/** The errno by which the program could not be started; null when it was. */
export function launchErrno(mark: string, stderr: string): number | null {
  const found = new RegExp(`^${mark} (\\d+)$`, 'm').exec(stderr)?.[1];
  return found === undefined ? null : Number(found);
}
