// Programs that change the machine or what runs on it, and that control other programs: they need strict approval, whatever their
// arguments.
import { isIrrevocable, needsStrictApproval } from '../commands/classification.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { ProgramFacts, WrappedOptions } from './program.ts'

const DISKS = { classify: () => isIrrevocable('Changes disks or file systems.') }
const LATER = {
  classify: () => isIrrevocable('Schedules commands for later or for every start.'),
  outward: 'machine'
} as const
const SERVICES = { classify: () => isIrrevocable('Controls services of the machine.') }
const NETWORK = { classify: () => isIrrevocable('Changes network settings.'), outward: 'machine' } as const
const USERS = { classify: () => isIrrevocable('Changes users or passwords.') }
const INSTALLERS = {
  classify: () => isIrrevocable('Changes the software installed on the machine.'),
  outward: 'packages'
} as const
const SESSIONS = { classify: () => isIrrevocable('Starts or uses a terminal session that others may use.') }
const DESKTOP = { classify: () => isIrrevocable('Opens something on the desktop.') }
// A sandbox separates processes, namespaces and the view of the kernel.
const SIGNALS = { classify: () => needsStrictApproval('Sends signals to other programs.') }
const TRACERS = { classify: () => needsStrictApproval('Traces or controls another program.') }
const NAMESPACES = { classify: () => needsStrictApproval('Enters other namespaces.') }
const KERNEL = { classify: () => needsStrictApproval('Loads code into the system.') }

const TRACED: readonly WrappedOptions[] = [{ valued: '-o -e -p -s -P -E -u -a -O -S' }]
const CONFINED: readonly WrappedOptions[] = [{ valued: '-u -p --unit' }]
const NIX = { data: '-p --packages -A --attr -I --arg --argstr' }

export const MACHINE_PROGRAMS: readonly ProgramFacts[] = [
  { names: 'mkfs mkswap fdisk parted mount umount losetup', ...DISKS, outward: 'machine' },
  {
    names:
      'wipefs blkdiscard sfdisk cfdisk swapon swapoff fsck tune2fs hdparm cryptsetup lvm lvremove vgremove pvremove btrfs zfs zpool ' +
      'fusermount',
    ...DISKS
  },
  { names: 'crontab at batch', ...LATER, followsInput: true },
  { names: 'anacron', ...LATER },
  { names: 'systemd-run', ...LATER, wraps: CONFINED },
  { names: 'systemctl service launchctl initctl rc-service update-rc.d loginctl', ...SERVICES, outward: 'machine' },
  { names: 'journalctl dmesg sysctl', ...SERVICES },
  { names: 'ip ifconfig iptables ip6tables nft ufw route firewall-cmd tc nmcli', ...NETWORK },
  {
    names: 'useradd usermod userdel groupadd groupmod groupdel passwd chpasswd adduser deluser chsh',
    ...USERS,
    outward: 'machine'
  },
  { names: 'visudo vipw', ...USERS },

  {
    names: 'apt-get aptitude yum dnf rpm zypper pacman apk port snap flatpak nix-env update-alternatives',
    ...INSTALLERS
  },
  { names: 'apt', ...INSTALLERS, listings: ['list', 'show'] },
  { names: 'dpkg', ...INSTALLERS, listings: ['-l', '-L', '-s'] },
  { names: 'brew', ...INSTALLERS, listings: ['list', 'info', 'deps'] },
  {
    names: 'nix',
    ...INSTALLERS,
    data: NIX,
    configuration: [
      {
        subcommands: 'build develop run shell flake',
        files: ['flake.nix', 'flake.lock'],
        search: 'nearest',
        valued: '-c --command',
        unknown: UNKNOWN.packages
      }
    ]
  },
  {
    names: 'nix-shell',
    data: NIX,
    wraps: [{ lines: '--run --command' }],
    configuration: [
      {
        files: ['shell.nix default.nix'],
        operands: 'replace',
        valued: '-p -A -I --run --command --arg --argstr',
        unknown: UNKNOWN.packages
      }
    ]
  },
  {
    names: 'nix-build',
    data: NIX,
    configuration: [
      { files: ['default.nix'], operands: 'replace', valued: '-A -I -o --arg --argstr', unknown: UNKNOWN.packages }
    ]
  },
  { names: 'choco winget', outward: 'packages' },

  { names: 'kill', ...SIGNALS, builtin: true, data: true },
  { names: 'pkill killall', ...SIGNALS, data: true },
  { names: 'killall5 skill xkill fuser renice', ...SIGNALS },
  { names: 'strace', ...TRACERS, printsVersion: true, wraps: TRACED },
  { names: 'ltrace valgrind', ...TRACERS, wraps: TRACED },
  { names: 'perf', ...TRACERS, wraps: [{ subcommands: 'record stat trace', valued: '-e -o -F -C -p -r' }] },
  { names: 'script', ...TRACERS, wraps: [{ lines: '-c --command' }] },
  { names: 'unbuffer', ...TRACERS, wraps: [{}] },
  { names: 'expect', ...TRACERS, script: { loading: '-f', inline: '-c', other: '-f' } },
  {
    names: 'gdb',
    ...TRACERS,
    printsVersion: true,
    followsInput: true,
    script: { loading: '-x --command -ix --init-command -ex-file', optionsOnly: true },
    configuration: [{ files: ['.gdbinit'] }]
  },
  {
    names: 'lldb',
    ...TRACERS,
    followsInput: true,
    script: { loading: '-s --source -S', optionsOnly: true },
    configuration: [{ files: ['.lldbinit'] }]
  },
  { names: 'bpftrace rr', ...TRACERS },
  { names: 'nsenter chroot', ...NAMESPACES, followsInput: true },
  { names: 'unshare', ...NAMESPACES, followsInput: true, wraps: [{}] },
  { names: 'bwrap', ...NAMESPACES, printsVersion: true, wraps: CONFINED },
  { names: 'firejail', ...NAMESPACES, wraps: CONFINED },
  { names: 'pivot_root capsh', ...NAMESPACES },
  { names: 'insmod rmmod modprobe kexec', ...KERNEL, outward: 'machine' },
  { names: 'ldconfig depmod', ...KERNEL },

  { names: 'screen', ...SESSIONS, runsText: true },
  { names: 'tmux', ...SESSIONS, runsText: true, printsVersion: true },
  { names: 'dtach abduco', ...SESSIONS },
  { names: 'open xdg-open defaults wall write xclip pbpaste', ...DESKTOP },
  { names: 'mail sendmail mutt', ...DESKTOP, outward: 'publishes' },
  { names: 'osascript', ...DESKTOP, readsCode: true, script: { valued: '-l', inline: '-e' } },
  { names: 'bc dc iptables-restore debconf-set-selections', followsInput: true }
]
