/** errno(3) values that execve gives, in words for people. */
const WORDS: Record<number, string> = {
  2: 'its file or its interpreter is not there',
  7: 'the arguments are too long',
  8: 'it is no program that this machine can run',
  13: 'permission denied',
  20: 'its file or its interpreter is not there',
  40: 'too many links',
};

/** Words for a program that the launcher could not start. */
export function execFailure(bin: string, errno: number): string {
  if (errno === 7) return 'sandbox: the arguments are too long';
  return `sandbox: cannot start "${bin}": ${WORDS[errno] ?? `error ${errno}`}`;
}

/** Words for a container that the daemon would not make or start; without paths of the host. */
export function containerFailure(bin: string, message: string): string {
  if (/argument list too long/i.test(message)) return 'sandbox: the arguments are too long';
  if (message.includes('perl') && /no such file/i.test(message)) {
    return `sandbox: cannot start "${bin}": the image has no /usr/bin/perl`;
  }
  const clean = message.replaceAll(/(?<![\w.])\/(?!pack\b|workspace\b)[^\s:,'"]*/g, '<path>').slice(0, 300);
  return `sandbox: cannot start "${bin}": the container was refused: ${clean}`;
}
