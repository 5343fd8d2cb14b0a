// Profile for `sandbox-exec`: everything is denied except what is named. Paths are parameters, never part of the text.

/** Absolute paths. */
export interface ProfilePaths {
  read: readonly string[]
  /** Writable paths, which are readable too. */
  write: readonly string[]
  /** Exceptions from the writable paths. */
  kept: readonly string[]
  /** Exceptions from the readable paths. */
  hidden: readonly string[]
  /** Readable even inside hidden paths. */
  mounted: readonly string[]
  /** Writable even inside hidden paths. */
  mountedWritable: readonly string[]
}

interface Profile {
  text: string
  /** Arguments that define the parameters. */
  parameters: string[]
}

/** Operations that every program performs at startup, and harmless ones. */
const BASE_RULES = `(version 1)
(deny default)
(allow process-exec process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo") (global-name "com.apple.system.notification_center"))
(allow file-read-metadata)
(allow file-read* (literal "/") (literal "/private/etc/localtime") (literal "/private/etc/passwd") (subpath "/private/var/db/timezone") (subpath "/private/var/db/dyld"))
(allow file-read* file-write-data file-ioctl (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))
(allow file-read* (literal "/dev/random") (literal "/dev/urandom"))
(allow file-read* file-write* file-ioctl (regex #"^/dev/ttys[0-9]+$"))`

/** New ones must not be created either, wherever they are. */
const DENY_GIT_WRITES = '(deny file-write* (regex #"/\\.[gG][iI][tT](/|$)"))'

export function buildProfile({ read, write, kept, hidden, mounted, mountedWritable }: ProfilePaths): Profile {
  const lists = Object.entries({
    READ: [...read, ...write],
    WRITE: write,
    KEPT: kept,
    HIDDEN: hidden,
    MOUNTED: mounted,
    MOUNTED_WRITABLE: mountedWritable
  })
  const all = (name: string, rule: string) => {
    const list = lists.find(([one]) => one === name)?.[1] ?? []
    return list.length === 0 ? [] : [`(${rule} ${list.map((_, i) => `(subpath (param "${name}_${i}"))`).join(' ')})`]
  }
  // The later one of two matching rules takes precedence.
  const text = [
    BASE_RULES,
    ...all('READ', 'allow file-read*'),
    ...all('WRITE', 'allow file-write*'),
    DENY_GIT_WRITES,
    ...all('KEPT', 'deny file-write*'),
    ...all('HIDDEN', 'deny file-read* file-write*'),
    ...all('MOUNTED', 'allow file-read*'),
    ...all('MOUNTED_WRITABLE', 'allow file-write-data')
  ]
  const parameters = lists.flatMap(([name, list]) => list.flatMap((place, i) => ['-D', `${name}_${i}=${place}`]))
  return { text: text.join('\n'), parameters }
}
