// Programs that reach beyond the workspace: they use the network, publish, install packages, or change the machine. Without network
// they serve nothing, so that they are asked about where other commands run unasked.

const NETWORK = 'It uses the network.'
const PUBLISHES = 'It publishes, or acts on other machines with your credentials.'
const PACKAGES = 'It installs, looks up or removes packages.'
const MACHINE = 'It changes the machine, or what runs on it.'

/** By reason: programs that do so whatever their arguments. */
const PROGRAMS_BY_REASON: Readonly<Record<string, string>> = {
  [NETWORK]:
    'curl wget http https xh aria2c ftp lftp rclone sshfs telnet nc ncat netcat socat nmap tcpdump wireshark tshark ngrok ' +
    'cloudflared localtunnel ping dig host nslookup whois traceroute',
  [PUBLISHES]:
    'ssh scp sftp rsync rlogin rsh mosh ssh-copy-id mail sendmail mutt gh glab hub twine kubectl helm oc k9s terraform tofu pulumi ' +
    'ansible ansible-playbook aws gcloud az doctl flyctl heroku vercel netlify wrangler ssh-add ssh-agent gpg gpg2 pass security ' +
    'secret-tool keyctl vault op bw kinit',
  [PACKAGES]:
    'apt apt-get aptitude dpkg yum dnf rpm zypper pacman apk brew port snap flatpak nix nix-env update-alternatives choco winget ' +
    'rustup nvm asdf conda mamba corepack pipx',
  [MACHINE]:
    'docker podman nerdctl buildah ctr crictl lxc lxd incus machinectl virsh vagrant docker-compose multipass skopeo systemctl service ' +
    'launchctl initctl rc-service update-rc.d loginctl crontab at batch anacron systemd-run ip ifconfig iptables ip6tables nft ufw ' +
    'route firewall-cmd tc nmcli mount umount mkfs mkswap fdisk parted losetup useradd usermod userdel groupadd groupmod groupdel ' +
    'passwd chpasswd adduser deluser chsh insmod rmmod modprobe kexec'
}
const OUTWARD_PROGRAMS: ReadonlyMap<string, string> = new Map(
  Object.entries(PROGRAMS_BY_REASON).flatMap(([reason, names]) =>
    names.split(' ').map((name): [string, string] => [name, reason])
  )
)

interface OutwardSubcommands {
  packages?: string
  publishes?: string
  network?: string
}

const NODE: OutwardSubcommands = {
  packages:
    'install i in ci add update up upgrade uninstall remove rm un audit outdated view create init dlx import link search',
  publishes:
    'publish unpublish deprecate login logout adduser whoami token owner access dist-tag team org profile hook star set config c'
}
const PIP: OutwardSubcommands = { packages: 'install download uninstall wheel index search config cache' }

/** By program: the subcommands with which it does so. */
const SUBCOMMANDS: Readonly<Record<string, OutwardSubcommands>> = {
  git: {
    network: 'fetch pull clone ls-remote remote submodule lfs archive daemon instaweb svn p4',
    publishes: 'push send-email request-pull'
  },
  npm: NODE,
  pnpm: NODE,
  yarn: { ...NODE, publishes: `${NODE.publishes} npm` },
  bun: NODE,
  pip: PIP,
  pip3: PIP,
  uv: { packages: 'add remove sync lock tool python cache self', publishes: 'publish' },
  poetry: { packages: 'install add remove update lock self source config', publishes: 'publish' },
  pdm: { packages: 'install add remove update lock sync', publishes: 'publish' },
  pipenv: { packages: 'install uninstall update lock sync' },
  cargo: {
    packages: 'install uninstall add remove update fetch search vendor',
    publishes: 'publish login logout owner yank'
  },
  go: { packages: 'install get' },
  gem: { packages: 'install uninstall update fetch', publishes: 'push yank signin signout' },
  bundle: { packages: 'install add update remove outdated' },
  composer: { packages: 'install require update remove global create-project self-update' },
  dotnet: { packages: 'add remove restore tool workload', publishes: 'nuget' },
  mvn: { publishes: 'deploy release:perform release:prepare' },
  gradle: { publishes: 'publish' },
  gradlew: { publishes: 'publish' },
  mix: { packages: 'deps.get deps.update local.hex archive.install', publishes: 'hex.publish' },
  flutter: { packages: 'pub upgrade' },
  dart: { packages: 'pub' },
  luarocks: { packages: 'install remove', publishes: 'upload' }
}
const OUTWARD_SUBCOMMANDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(SUBCOMMANDS).map(([program, { packages = '', publishes = '', network = '' }]) => [
    program,
    new Map(
      [[packages, PACKAGES] as const, [publishes, PUBLISHES] as const, [network, NETWORK] as const].flatMap(
        ([names, reason]) => names.split(' ').map((name): [string, string] => [name, reason])
      )
    )
  ])
)

/** Programs that install when they are given no subcommand. */
const INSTALLS_BY_DEFAULT = new Set(['yarn', 'bundle'])

/** Modules of Python, and subcommands of uv, with subcommands of pip. */
const PIP_MODULE = /^(?:pip3?|ensurepip|twine)$/
const PIP_LISTINGS = new Set('list show freeze check tree help'.split(' '))

/** Returns the reason for which a program with these arguments reaches beyond the workspace; undefined if it does not. */
export function findOutwardReason(program: string, args: readonly string[]): string | undefined {
  if (args.length === 1 && /^(?:--version|-V|--help|-h)$/.test(args[0]!)) return undefined
  const always = OUTWARD_PROGRAMS.get(program)
  if (always !== undefined) return always
  const subcommands = possibleSubcommands(args)
  if (subcommands.length === 0) return INSTALLS_BY_DEFAULT.has(program) ? PACKAGES : undefined
  const known = OUTWARD_SUBCOMMANDS.get(program)
  const found = subcommands.map(word => known?.get(word)).find(reason => reason !== undefined)
  return found ?? (isInstaller(program, args) ? PACKAGES : undefined)
}

/** Returns the words that may be the subcommand: the value of a flag before it looks like one, too. */
function possibleSubcommands(args: readonly string[]): string[] {
  const found: string[] = []
  for (const [at, arg] of args.entries()) {
    if (arg.startsWith('-')) continue
    found.push(arg)
    const before = args[at - 1]
    if (before === undefined || !before.startsWith('-') || before.includes('=')) break
  }
  return found
}

function isInstaller(program: string, args: readonly string[]): boolean {
  if (!/^(?:python[\d.]*|py|uv)$/.test(program)) return false
  const at = args.findIndex((arg, i) => PIP_MODULE.test(arg) && (i === 0 || args[i - 1] === '-m'))
  return at >= 0 && !PIP_LISTINGS.has(args[at + 1] ?? 'help')
}
