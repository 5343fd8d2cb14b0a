// Names remedies for a system that is out of something which a program needs to start: a later attempt may succeed.

/** Remedies by error of the system. */
export const EXHAUSTED: Readonly<Record<string, string>> = {
  EAGAIN: 'End processes of its user, or raise their limit (`ulimit -u`, or `pids_limit` of its container)',
  ENOMEM: 'Free memory, or raise the memory limit of its container',
  EMFILE: 'Raise the limit of open files of the server (`ulimit -n`)',
  ENFILE: 'Close files of other programs, or raise the limit of the system (`fs.file-max`)'
}
