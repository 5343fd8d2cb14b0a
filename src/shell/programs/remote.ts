// Programs that reach other machines, clouds and containers, or use credentials.
import {
  guessPathOperands,
  isIrrevocable,
  needsApproval,
  type ProgramClassifier,
  printsOnly,
  writeOperand
} from '../commands/classification.ts'
import { git } from '../commands/git.ts'
import { UNKNOWN } from '../executed/source-finder.ts'
import type { Configuration, ProgramFacts } from './program.ts'
import { tool } from './tools.ts'

const NETWORK_STRICT = /^-(?:[a-zA-Z]*[TK]|d$|F)|^@|^[\w.-]*=@|^-[a-zA-Z]*d@|^-d/
/** Beginnings of long flags that send data, or name files with more flags or credentials. */
const NETWORK_STRICT_NAMES = (
  'upload config unix-socket abstract-unix post-file body-file data form netrc proxy cert key input-file execute use-askpass ' +
  'json url-query'
).split(' ')
const isStrictFlag = (arg: string) =>
  isLongFlag(arg, NETWORK_STRICT_NAMES) || NETWORK_STRICT_NAMES.some(name => arg.startsWith(`--${name}`))
const OUTPUT_FLAG_NAMES = (
  'output output-dir output-document output-file directory-prefix dump-header cookie-jar trace trace-ascii stderr ' +
  'etag-save hsts alt-svc save-cookies append-output'
).split(' ')
const isOutputFlag = (arg: string) => /^-[a-zA-Z]*[oOPDca]$/.test(arg) || isLongFlag(arg, OUTPUT_FLAG_NAMES)

/** Matches a long flag of these names, also abbreviated, without its value. */
function isLongFlag(arg: string, names: readonly string[]): boolean {
  const given = /^--([a-z][a-z-]+)/.exec(arg)?.[1]
  return given !== undefined && names.some(name => name.startsWith(given))
}

/** Returns the file that is attached to a flag for output. */
function attachedOutput(arg: string): string | undefined {
  const equals = arg.indexOf('=')
  if (equals > 0 && isLongFlag(arg.slice(0, equals), OUTPUT_FLAG_NAMES)) return arg.slice(equals + 1)
  return /^-[a-zA-Z]*[oOPDca](?<file>[/.~].*)/s.exec(arg)?.groups?.file
}

/** Returns the files that receive its input. */
const outputOperands = (args: readonly string[]) =>
  args.flatMap((arg, at) => {
    const attached = attachedOutput(arg)
    if (attached !== undefined) return [writeOperand(attached)]
    const before = args[at - 1] ?? ''
    const isFile = isOutputFlag(before) && !before.includes('=') && !arg.startsWith('-') && !arg.includes('://')
    return isFile ? [writeOperand(arg)] : []
  })

const network: ProgramClassifier = args => {
  if (args.length === 1 && args[0] === '--version') return printsOnly()
  if (
    args.some(
      arg => /^(?:file|dict|gopher|ldap|smb|scp|sftp|tftp|telnet):/i.test(arg) || /=(?:file|gopher):/i.test(arg)
    )
  )
    return isIrrevocable('Reads a URL with a scheme other than HTTP or HTTPS.')
  const operands = [...args.flatMap(guessPathOperands), ...outputOperands(args)]
  if (args.some(arg => NETWORK_STRICT.test(arg) || isStrictFlag(arg)))
    return isIrrevocable('Sends data, or reads more options from a file.', { operands })
  return needsApproval('Accesses the network.', { operands })
}

const WEB = { classify: network, outward: 'network' } as const
const CONNECTIONS = {
  classify: () => isIrrevocable('Opens an arbitrary network connection.'),
  outward: 'network'
} as const
const reachesMachines = () => isIrrevocable('Accesses other machines with your credentials.')
const MACHINES = { classify: reachesMachines, outward: 'publishes' } as const
const KEYS = { classify: () => isIrrevocable('Uses or creates keys and credentials.') }
const CLOUDS = { classify: () => isIrrevocable('Changes clusters or cloud resources.'), outward: 'publishes' } as const
const CONTAINERS = {
  classify: () => isIrrevocable('Controls a daemon that runs as root.'),
  outward: 'machine'
} as const
const DATABASES = {
  classify: () => isIrrevocable('Changes a database, or runs code.'),
  followsInput: true,
  readsCode: true
} as const

const GPG = { letters: 'abcdeqstv', data: '-o --output -r --recipient -u --local-user --passphrase-file --keyring' }
const COPIES = { runs: '-S -F -o -D -b -s' }
const COMPOSE = [
  'compose.{yaml,yml} docker-compose.{yml,yaml}',
  'compose.override.{yml,yaml} docker-compose.override.{yml,yaml}'
]
const COMPOSE_PROJECT: Configuration = {
  files: COMPOSE,
  search: 'nearest',
  config: '-f --file',
  folder: '--project-directory',
  valued: '-p --profile --env-file',
  unknown: UNKNOWN.images
}
const CONTAINER_BUILD: Configuration = {
  subcommands: 'build bud',
  files: ['Containerfile Dockerfile'],
  config: '-f --file',
  operandFolder: true,
  valued: '-t --tag --build-arg --target',
  unknown: UNKNOWN.images
}
const PLAYBOOKS: Configuration = { files: ['ansible.cfg'], unknown: 'Not shown: roles and inventories.' }

export const REMOTE_PROGRAMS: readonly ProgramFacts[] = [
  {
    names: 'curl',
    ...WEB,
    data: {
      runs: '-K --config --engine',
      data: '-d -F -T -b -c -D -H -E -A -e -u --data --data-binary --form --upload-file --cookie --cookie-jar --cacert --cert --key'
    }
  },
  {
    names: 'wget',
    ...WEB,
    data: {
      runs: '-e --execute --config --use-askpass',
      data: '-O -i -P -a --post-file --body-file --load-cookies --save-cookies --input-file --output-document --ca-certificate'
    }
  },
  {
    names: 'http https xh aria2c',
    ...WEB,
    data: { runs: '--conf-path --on-download-complete --on-download-start --on-bt-download-complete' }
  },
  { names: 'ping dig host nslookup whois traceroute', outward: 'network' },
  { names: 'nc ncat socat', ...CONNECTIONS, followsInput: true },
  { names: 'netcat nmap tcpdump wireshark tshark ngrok cloudflared localtunnel', ...CONNECTIONS },
  { names: 'telnet ftp lftp', classify: reachesMachines, outward: 'network', followsInput: true },
  { names: 'rclone sshfs', classify: reachesMachines, outward: 'network' },

  { names: 'rlogin rsh mosh ssh-copy-id', ...MACHINES },
  { names: 'ssh', ...MACHINES, followsInput: true, runsText: true },
  { names: 'scp', ...MACHINES, runsText: true, data: COPIES },
  { names: 'sftp', ...MACHINES, followsInput: true, runsText: true, data: COPIES },
  {
    names: 'rsync',
    ...MACHINES,
    printsVersion: true,
    runsText: true,
    data: {
      runs: '-e --rsh --rsync-path --config --early-input -M',
      data: '--exclude --include --exclude-from --include-from --files-from --log-file --password-file --backup-dir --link-dest'
    }
  },
  { names: 'ssh-add ssh-agent pass security secret-tool keyctl vault bw kinit', ...KEYS, outward: 'publishes' },
  { names: 'op', ...KEYS, outward: 'publishes', executesLike: 'doppler' },
  { names: 'gpg', ...KEYS, outward: 'publishes', printsVersion: true, data: GPG },
  { names: 'gpg2', ...KEYS, outward: 'publishes', data: GPG },
  { names: 'ssh-keygen age', ...KEYS },
  {
    names: 'openssl',
    ...KEYS,
    data: {
      wholeWords: true,
      runs: '-engine -provider -provider-path -config -extfile -rand -keyform -certform -inform -outform -ssl_client_engine'
    }
  },
  {
    names: 'git',
    classify: git,
    runsText: true,
    listsPaths: /^(?:ls-files|--name-only|-[A-Za-z]*l)$/,
    outward: {
      network: 'fetch pull clone ls-remote remote submodule lfs archive daemon instaweb svn p4',
      publishes: 'push send-email request-pull'
    }
  },
  { names: 'gh', outward: 'publishes', printsVersion: true },
  { names: 'glab hub twine', outward: 'publishes' },

  { names: 'helm k9s gcloud az doctl flyctl heroku vercel netlify', ...CLOUDS },
  { names: 'aws', ...CLOUDS, printsVersion: true },
  {
    names: 'kubectl oc',
    ...CLOUDS,
    followsInput: true,
    script: { loading: '-f --filename', subcommands: 'apply create replace delete diff run', optionsOnly: true }
  },
  {
    names: 'terraform tofu',
    ...CLOUDS,
    configuration: [
      {
        subcommands: 'apply plan destroy',
        unknown: 'Not shown: infrastructure files, which may run programs.'
      }
    ]
  },
  {
    names: 'pulumi',
    ...CLOUDS,
    configuration: [
      { files: ['Pulumi.{yaml,yml,json}'], search: 'nearest', folder: '-C --cwd', unknown: UNKNOWN.scripts }
    ]
  },
  { names: 'ansible', ...CLOUDS, configuration: [PLAYBOOKS] },
  {
    names: 'ansible-playbook',
    ...CLOUDS,
    script: { valued: '-l -e -t', paths: '-i --inventory', ends: /\.ya?ml$/ },
    configuration: [PLAYBOOKS]
  },
  {
    names: 'wrangler',
    ...CLOUDS,
    configuration: [
      { files: ['wrangler.{json,jsonc,toml}'], search: 'nearest', config: '-c --config', unknown: UNKNOWN.build }
    ]
  },
  { names: 'packer', configuration: [{ operands: 'replace' }] },

  {
    names: 'docker',
    ...CONTAINERS,
    printsVersion: true,
    followsInput: true,
    configuration: [
      {
        subcommands: 'build buildx+build image+build',
        files: ['Dockerfile'],
        config: '-f --file',
        operandFolder: true,
        valued: '-t --tag --build-arg --target --platform -o --label --secret --cache-from',
        unknown: UNKNOWN.images
      },
      {
        subcommands: 'buildx+bake',
        files: ['docker-bake.{hcl,json}', ...COMPOSE],
        config: '-f --file',
        unknown: UNKNOWN.images
      },
      { subcommands: 'compose', ...COMPOSE_PROJECT }
    ]
  },
  {
    names: 'podman',
    ...CONTAINERS,
    printsVersion: true,
    followsInput: true,
    configuration: [CONTAINER_BUILD, { subcommands: 'compose', ...COMPOSE_PROJECT }]
  },
  { names: 'buildah', ...CONTAINERS, configuration: [CONTAINER_BUILD] },
  { names: 'nerdctl machinectl', ...CONTAINERS, followsInput: true },
  { names: 'ctr crictl lxc lxd incus virsh multipass', ...CONTAINERS },
  {
    names: 'vagrant',
    ...CONTAINERS,
    configuration: [{ files: ['Vagrantfile'], search: 'nearest', unknown: UNKNOWN.scripts }]
  },
  { names: 'docker-compose', ...CONTAINERS, configuration: [COMPOSE_PROJECT] },
  { names: 'podman-compose', configuration: [COMPOSE_PROJECT] },
  { names: 'skopeo', outward: 'machine' },
  tool('tilt', { files: ['Tiltfile'], config: '-f --file', unknown: UNKNOWN.images }),
  tool('skaffold', { files: ['skaffold.{yaml,yml}'], config: '-f --filename', unknown: UNKNOWN.images }),
  tool('act', { subcommands: 'push pull_request workflow_dispatch', unknown: UNKNOWN.images }),

  {
    names: 'sqlite3',
    ...DATABASES,
    printsVersion: true,
    script: { loading: '-init --init', optionsOnly: true }
  },
  { names: 'psql', ...DATABASES, printsVersion: true, script: { loading: '-f --file', optionsOnly: true } },
  { names: 'redis-cli', ...DATABASES, script: { loading: '--eval', optionsOnly: true } },
  { names: 'mongo mongosh', ...DATABASES, script: { loading: '-f --file', ends: /\.js$/ } },
  { names: 'mysql', ...DATABASES, printsVersion: true },
  { names: 'mariadb', ...DATABASES },
  { names: 'redis-server', printsVersion: true }
]
