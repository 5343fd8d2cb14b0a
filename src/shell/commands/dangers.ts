// Programs that always need strict approval, whatever their arguments, with the reasons.
import { isIrrevocable, needsStrictApproval, type ProgramClassifier } from './classification.ts'

const REASONS: Readonly<Record<string, string>> = {
  'It removes files for good.': 'unlink shred srm wipe trash',
  'It overwrites files or devices.': 'dd truncate fallocate',
  'It changes disks or file systems.':
    'mkfs mkswap wipefs blkdiscard fdisk sfdisk cfdisk parted mount umount losetup swapon swapoff fsck tune2fs hdparm ' +
    'cryptsetup lvm lvremove vgremove pvremove btrfs zfs zpool fusermount',
  'It changes who owns or may use files.': 'chown chgrp setfacl chattr setcap setfattr',
  'It sends signals to other programs.': 'kill pkill killall killall5 skill xkill fuser renice',
  'It runs things later, or at every start.': 'crontab at batch anacron systemd-run',
  'It controls services of the machine.':
    'systemctl service launchctl initctl rc-service update-rc.d loginctl journalctl dmesg sysctl',
  'It speaks to a daemon that has all rights.':
    'docker podman nerdctl buildah ctr crictl lxc lxd incus machinectl virsh vagrant docker-compose multipass',
  'It changes clusters or clouds.':
    'kubectl helm oc k9s terraform tofu pulumi ansible ansible-playbook aws gcloud az doctl flyctl heroku vercel netlify wrangler',
  'It reaches other machines with your credentials.':
    'ssh scp sftp rsync rlogin rsh mosh telnet ftp lftp rclone sshfs ssh-copy-id',
  'It uses or makes keys and credentials.':
    'ssh-keygen ssh-add ssh-agent gpg gpg2 pass security secret-tool keyctl openssl age vault op bw kinit',
  'It opens a connection of any kind.':
    'nc ncat netcat socat nmap tcpdump wireshark tshark ngrok cloudflared localtunnel',
  'It changes the network.': 'ip ifconfig iptables ip6tables nft ufw route firewall-cmd tc nmcli',
  'It changes users or passwords.':
    'useradd usermod userdel groupadd groupmod groupdel passwd chpasswd adduser deluser visudo vipw chsh',
  'It changes what is installed on the machine.':
    'apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew port snap flatpak nix nix-env update-alternatives',
  'It shows the environment, which may hold secrets.': 'printenv envsubst declare typeset compgen set',
  'It changes what the shell does next.':
    'source . alias unalias hash enable trap shopt bind complete readonly local unset let mapfile readarray ' +
    'history fc caller ulimit umask logout',
  'It traces or controls another program.': 'gdb lldb strace ltrace perf bpftrace rr valgrind script expect unbuffer',
  'It moves into other namespaces.': 'nsenter unshare chroot bwrap firejail pivot_root capsh',
  'It loads code into the system.': 'insmod rmmod modprobe kexec ldconfig depmod',
  'It keeps a session that others may use.': 'screen tmux dtach abduco',
  'It changes a database, or runs what it is told.': 'sqlite3 psql mysql mariadb mongo mongosh redis-cli',
  'It opens something on the desktop.': 'open xdg-open osascript defaults wall write mail sendmail mutt xclip pbpaste'
}

/** Reasons that are none in a sandbox: its processes, its environment and its view of the kernel are separate. */
const CONFINED_BY_SANDBOX = new Set([
  'It sends signals to other programs.',
  'It shows the environment, which may hold secrets.',
  'It changes what the shell does next.',
  'It traces or controls another program.',
  'It moves into other namespaces.',
  'It loads code into the system.'
])

export const DANGERS: Readonly<Record<string, ProgramClassifier>> = Object.fromEntries(
  Object.entries(REASONS).flatMap(([reason, programs]) =>
    programs
      .split(' ')
      .map(name => [name, () => (CONFINED_BY_SANDBOX.has(reason) ? needsStrictApproval : isIrrevocable)(reason)])
  )
)
