// Commands that are always blocked, approved or not: they destroy or take over the machine, or target this server.
import type { ProtectedResources } from './command-line-analysis.ts'
import type { SimpleCommand } from './parsed-command-line.ts'

const DEVICE = '/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|dm-|md|loop|mapper/|disk/|mem$|kmem$|port$)'
const BLOCK_DEVICE = new RegExp(`^${DEVICE}`)
const INTO_BLOCK_DEVICE = new RegExp(`>[|&]?\\s{0,99}["']?${DEVICE}`)
const NETWORK_SHELL = /[<>]&?\s{0,99}["']?\/dev\/(?:tcp|udp)\//
/** A function that pipes itself into itself in the background. Quantifiers are bounded against slow matching (ReDoS). */
const FORK_BOMB = /([A-Za-z_.:][\w.:]{0,40})\s{0,9}\(\s{0,9}\)\s{0,9}\{\s{0,9}\1\s{0,9}\|\s{0,9}\1\s{0,9}&/
const KERNEL = /^\/proc\/sys|^\/sys\/(?:kernel|firmware|power)|sysrq-trigger/
/** Folders whose removal destroys the machine or the user's work. */
const ROOTS =
  /^(?:~[a-z]*|\$HOME|\$\{HOME(?::?[-?].*)?\}|\/(?:home|Users|etc|usr|var|boot|s?bin|lib|lib64|root|opt|dev|proc|sys|srv)|\/(?:home|Users)\/[^/]+|\.\.)$/

/**
 * Sockets by which a daemon runs programs with rights beyond those of the user's command: container engines, virtual machines, init and
 * message buses, package daemons. Their documented default names, in any folder.
 */
const CONTROL_SOCKET =
  /(?:docker|podman|containerd|crio|cri-?dockerd|buildkitd|dockershim|nerdctl|kubelet|frakti)[\w.-]{0,40}\.sock\b|\/(?:lxd|incus)\/(?:[\w./-]{0,60}\/)?unix\.socket|\/libvirt\/[\w-]{0,40}sock\b|\/systemd\/private\b|\/dbus\/system_bus_socket|\/run\/user\/[^/]{1,20}\/(?:bus|systemd)\b|\/snapd(?:-snap)?\.socket/i
/** Programs that look at a socket's entry, or print its name, and do not connect. */
const SOCKET_INSPECTORS = /^(?:ls|stat|test|\[|\[\[|file|readlink|realpath|echo|printf|lsof|ss)$/

interface BlockRule {
  reason: string
  /** Matches one simple command: a program without its folder, and its unquoted words. */
  matches(program: string, words: readonly string[], surroundings: ProtectedResources): boolean
}

const BLOCK_RULES: readonly BlockRule[] = [
  {
    reason: 'Removes an entire system or home folder.',
    matches: (program, words) =>
      (program === 'rm' && words.some(isRecursive) && words.some(isRoot)) ||
      (program === 'find' &&
        words.some(isRoot) &&
        words.some(word => /^(?:-delete|(?:\/.*\/)?(?:rm|shred|unlink))$/.test(word))) ||
      (program === 'mv' && words.slice(0, -1).some(isRoot)) ||
      words.includes('--no-preserve-root')
  },
  {
    reason: 'Changes permissions of an entire system or home folder.',
    matches: (program, words) =>
      /^(?:chmod|chown|chgrp)$/.test(program) && words.some(isRecursive) && words.some(isRoot)
  },
  {
    reason: 'Writes to a block device.',
    matches: (program, words) =>
      (program === 'dd' && words.some(word => word.startsWith('of=') && BLOCK_DEVICE.test(word.slice(3)))) ||
      (/^(?:mkfs(?:\.\w+)?|mkswap|wipefs|blkdiscard|shred|tee|truncate|badblocks|cryptsetup)$/.test(program) &&
        words.some(isBlockDevice)) ||
      (/^(?:fdisk|sfdisk|cfdisk|parted)$/.test(program) && !words.includes('-l') && words.some(isBlockDevice)) ||
      (/^(?:cp|mv|install)$/.test(program) && isBlockDevice(words.at(-1) ?? ''))
  },
  {
    reason: 'Stops or restarts the machine.',
    matches: (program, words) =>
      (/^(?:reboot|shutdown|poweroff|halt|kexec)$/.test(program) &&
        !words.some(word => INFORMATIONAL_FLAG.test(word))) ||
      (/^(?:init|telinit)$/.test(program) && /^[0-6sS]$/.test(words[0] ?? '')) ||
      (/^(?:systemctl|loginctl)$/.test(program) && stopsMachine(words))
  },
  {
    reason: 'Loads code into the kernel.',
    matches: program => /^(?:insmod|modprobe|rmmod)$/.test(program)
  },
  {
    reason: 'Runs with the rights of another user.',
    matches: program => /^(?:sudo|sudoedit|doas|su|pkexec|runuser|gosu|setpriv|machinectl|run0)$/.test(program)
  },
  {
    reason: "Gives a container the machine's files or rights.",
    matches: (program, words) =>
      /^(?:docker|podman|nerdctl)$/.test(program) &&
      (words.some(word =>
        /^--(?:privileged|(?:pid|ipc|userns|uts|network|net|cgroupns)[= ]?host|cap-add|device|security-opt)/.test(word)
      ) ||
        words.some((word, at) => /^(?:--pid|--userns|--ipc)$/.test(word) && words[at + 1] === 'host') ||
        words.some((word, at) => isHostMount(word, words[at - 1] ?? '')))
  },
  {
    reason: 'Accesses the control socket of Docker or the system, which grants root on this machine.',
    matches: (program, words) => !SOCKET_INSPECTORS.test(program) && words.some(word => CONTROL_SOCKET.test(word))
  },
  {
    reason: 'Enters namespaces of the host.',
    matches: (program, words) =>
      program === 'nsenter' &&
      words.some(
        (word, at) => /^(?:-t1|--target=1)$/.test(word) || (/^(?:-t|--target)$/.test(word) && words[at + 1] === '1')
      )
  },
  {
    reason: 'Opens a shell to the network.',
    matches: (program, words) =>
      (/^(?:nc|ncat|netcat|nc\.(?:traditional|openbsd))$/.test(program) &&
        words.some(word => /^-[a-z]*[ec]|^--(?:exec|sh-exec|lua-exec)/.test(word))) ||
      (program === 'socat' && words.some(word => /(?:exec|system|shell):/i.test(word)))
  },
  {
    reason: 'Sends a signal to this server.',
    matches: (program, words, { pids }) =>
      (program === 'kill' &&
        words.some(word => /^\$\{?PPID\}?$/.test(word) || pids.includes(Math.abs(Number.parseInt(word, 10))))) ||
      (/^(?:pkill|killall)$/.test(program) && words.some(word => word.toLowerCase().includes('toolgate')))
  }
]

const INFORMATIONAL_FLAG = /^(?:--help|--version|--show|-c)$/
const POWER_VERB =
  /^(?:(?:soft-)?reboot|poweroff|halt|kexec|suspend(?:-then-hibernate)?|hibernate|hybrid-sleep|sleep|rescue|emergency|exit)$/
/** Verbs that are followed by names of units. */
const UNIT_VERBS = new Set(
  (
    'start stop restart reload try-restart reload-or-restart isolate kill status show cat help edit enable disable ' +
    'reenable mask unmask link revert is-active is-failed is-enabled is-system-running list-units list-unit-files ' +
    'list-timers list-sockets list-jobs list-dependencies list-machines set-property get-default set-default ' +
    'reset-failed daemon-reload daemon-reexec show-environment log-level'
  ).split(' ')
)

/** Detects power commands, and starting their targets. */
function stopsMachine(words: readonly string[]) {
  const at = words.findIndex(word => POWER_VERB.test(word) || UNIT_VERBS.has(word))
  const command = words[at] ?? ''
  if (!/^(?:start|restart|isolate|reload-or-restart|try-restart)$/.test(command)) return POWER_VERB.test(command)
  return words
    .slice(at + 1)
    .some(word => POWER_VERB.test(word.replace(/\.target$/, '')) && (command === 'isolate' || word.endsWith('.target')))
}

/** Returns the reason to block the text as a whole; undefined if there is none. */
export function blockReasonForText(command: string, { paths }: ProtectedResources): string | undefined {
  const text = command.replaceAll('\\\n', '')
  if (FORK_BOMB.test(text)) return 'Fork bomb.'
  if (INTO_BLOCK_DEVICE.test(text)) return 'Writes to a block device.'
  if (NETWORK_SHELL.test(text)) return 'Opens a shell to the network.'
  const bare = normalizeSlashes(text.replaceAll(/["'\\]/g, ''))
  if (paths.some(path => path.length > 1 && bare.includes(normalizeSlashes(path))))
    return 'Contains the path of a private file of this server.'
  return undefined
}

/** Returns the reason to block one simple command, judging its words by their worst interpretation. */
export function blockReasonForCommand(
  simple: Pick<SimpleCommand, 'words' | 'redirects' | 'cwd'> & Partial<Pick<SimpleCommand, 'assignments'>>,
  surroundings: ProtectedResources
): string | undefined {
  for (const { operator, target } of simple.redirects) {
    if (!target) continue
    if (operator.includes('>') && BLOCK_DEVICE.test(target.unquoted)) return 'Writes to a block device.'
    if (operator.includes('>') && KERNEL.test(target.unquoted)) return 'Changes the settings of the kernel.'
    if (/^\/dev\/(?:tcp|udp)\//.test(target.unquoted)) return 'Opens a shell to the network.'
  }
  if (simple.assignments?.some(({ text }) => CONTROL_SOCKET.test(text)))
    return 'Accesses the control socket of Docker or the system, which grants root on this machine.'
  const [program, ...words] = simple.words.map(({ unquoted }) => unquoted)
  if (words.some(word => surroundings.pids.some(pid => `${normalizeSlashes(word)}/`.startsWith(`/proc/${pid}/`))))
    return 'Inspects the process of this server.'
  if (program === undefined) return undefined
  const name = programName(program)
  if (name === 'tee' && words.some(word => KERNEL.test(word))) return 'Changes the settings of the kernel.'
  const { cwd } = simple
  const seen = cwd?.startsWith('/')
    ? [...words, ...words.filter(word => !/^[-/~$]/.test(word)).map(word => `${cwd}/${word}`)]
    : words
  if (
    seen.some(word =>
      surroundings.paths.some(path => path.length > 1 && normalizeSlashes(word).includes(normalizeSlashes(path)))
    )
  )
    return 'Contains the path of a private file of this server.'
  if (reachesServer(words, surroundings)) return 'Sends a request to this server.'
  return BLOCK_RULES.find(({ matches }) => matches(name, seen, surroundings))?.reason
}

export const programName = (word: string) => word.slice(word.lastIndexOf('/') + 1)

const LOOPBACK =
  /(?:^|[/@[=:])(?:(?:[\w-]{1,63}\.){0,4}localhost\.?|ip6-(?:localhost|loopback)|127\.[\dxa-f.]{1,20}|0x7f[\da-fx.]{1,20}|0177[\d.]{1,20}|2130706\d{3}|0\.0\.0\.0|0x0|0|\[?::1?\]?|\[?::ffff:(?:127\.[\d.]{1,11}|7f[\da-f]{2}:[\da-f]{1,4})\]?)(?:[/:\]]|$)/i

/** Detects the server's address and port in one word, or as separate words. */
function reachesServer(words: readonly string[], { ports = [] }: ProtectedResources) {
  const local = words.some(word => LOOPBACK.test(word))
  return (
    local && words.some(word => ports.some(port => word === `${port}` || new Set(word.split(/[^0-9]+/)).has(`${port}`)))
  )
}

/** Detects a volume mounted from a root, a home folder, or a daemon's socket. */
function isHostMount(word: string, before: string) {
  const given = /^(?:-v|--volume|--mount)$/.test(before) ? word : /^(?:-v|--volume=|--mount=)(.+)$/.exec(word)?.[1]
  if (given === undefined) return false
  const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(given)?.[1] ?? given.split(':')[0]!
  return isRoot(source) || source.includes('docker.sock') || source.startsWith('/var/run') || source.startsWith('/run')
}

const normalizeSlashes = (path: string) => path.replaceAll(/\/(?:\.?\/)+/g, '/').replace(/\/$/, '')
const isRecursive = (word: string) => /^--r(?:ecursive|ecurs?i?v?e?)?$|^-[A-Za-z]*[rR]/.test(word)
const isBlockDevice = (word: string) => BLOCK_DEVICE.test(word)
/** Matches `/`, `//`, `/*`, `~/`, `/home/.` and the like; a bare `*` or name is inside the workspace. */
function isRoot(word: string) {
  const bare = word
    .replace(/\/\*$/, '/')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\/\.(?=\/|$)/g, '')
    .replace(/^(?:\/\.\.)+(?=\/|$)/, '')
    .replace(/\/$/, '')
  return bare === '' ? word.startsWith('/') : ROOTS.test(bare)
}
