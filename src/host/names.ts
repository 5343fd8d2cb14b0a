// Names that mean something to security, as data, and how a path is held against them.
//
// A pattern is one name, or several joined by '/': it covers a path when those names stand next to each other anywhere
// in it, and with them everything beneath. '*' stands for any run of characters inside one name. Paths and patterns are
// folded first (see `fold`), so that no other spelling of a name gets past.

/** Files and folders that hold credentials: reading asks strictly, listings of contents and searches leave them out. */
export const SENSITIVE_NAMES: readonly string[] = [
  // environments
  '.env',
  '.env.*',
  '*.env',
  '.envrc',
  '.flaskenv',
  '.dev.vars',
  // keys and certificates with keys
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.p8',
  '*.pkcs12',
  '*.jks',
  '*.keystore',
  '*.truststore',
  '*.ppk',
  '*.kdb',
  '*.kdbx',
  '*.keychain',
  '*.keychain-db',
  '*.asc.key',
  '*.ovpn',
  '*.agekey',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ecdsa_sk',
  'id_ed25519',
  'id_ed25519_sk',
  '*_rsa',
  '*_dsa',
  '*_ecdsa',
  '*_ed25519',
  'master.key',
  'authorized_keys',
  // folders of programs that keep credentials
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.oci',
  '.password-store',
  '.docker/config.json',
  '.config/gh',
  '.config/hub',
  '.config/glab-cli',
  '.config/gcloud',
  '.config/doctl',
  '.config/op',
  '.config/rclone',
  '.config/git/credentials',
  '.config/containers/auth.json',
  '.config/github-copilot',
  '.terraform.d/credentials.tfrc.json',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.mozilla',
  '.local/share/keyrings',
  '.codex/auth.json',
  '.claude/.credentials.json',
  // single files that do
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  'pgpass.conf',
  '.my.cnf',
  '.mylogin.cnf',
  '.s3cfg',
  '.boto',
  '.htpasswd',
  '.git-credentials',
  '.git/config',
  '.git/credentials',
  '.dockercfg',
  '.terraformrc',
  'terraform.rc',
  '.vault-token',
  '.vault_pass',
  '.vault_pass.txt',
  '.token',
  'kubeconfig',
  '*.kubeconfig',
  '*.tfstate',
  '*.tfstate.backup',
  '*.tfvars',
  '*.tfvars.json',
  'credentials',
  'credentials.*',
  '*-credentials.json',
  '*_credentials.json',
  'application_default_credentials.json',
  'client_secret*.json',
  'service-account*.json',
  'service_account*.json',
  '*-service-account.json',
  'secret.json',
  'secret.yml',
  'secret.yaml',
  'secret.toml',
  'secrets.json',
  'secrets.yml',
  'secrets.yaml',
  'secrets.toml',
  'auth.json',
  'wp-config.php',
  'shadow',
  'gshadow',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history'
]

/** Documentation that looks like a credential file by name, and must stay readable. */
export const HARMLESS_NAMES: readonly string[] = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env.defaults',
  '.env.schema',
  '.env.*.example',
  '.env.*.sample',
  '.env.*.template',
  'example.env',
  'sample.env',
  'template.env',
  'credentials.example.*',
  'credentials.*.example',
  'credentials.md',
  'credentials.ts',
  'credentials.js',
  'credentials.py',
  'credentials.go',
  'credentials.rs',
  'credentials.java',
  'credentials.rb'
]

/** Files that some program runs or obeys later by itself: writing one is running code, so it asks strictly. */
export const SELF_STARTING_NAMES: readonly string[] = [
  // ours
  '.toolgate',
  // editors and agents
  '.vscode',
  '.vscode-server',
  '*.code-workspace',
  '.idea',
  '.fleet',
  '.zed',
  '.cursor',
  '.cursorrules',
  '.windsurf',
  '.gemini',
  '.claude',
  '.claude.json',
  '.codex',
  '.continue',
  '.cline',
  '.roo',
  '.opencode',
  'opencode.json',
  'opencode.jsonc',
  '.aider.conf.yml',
  '.mcp.json',
  'mcp.json',
  '.devcontainer',
  '.devcontainer.json',
  '.vim',
  '.vimrc',
  '_vimrc',
  '.gvimrc',
  '.exrc',
  '.nvimrc',
  '.nvim.lua',
  '.config/nvim',
  '.emacs',
  '.emacs.d',
  '.dir-locals.el',
  '.dir-locals-2.el',
  '.sublime-project',
  '*.sublime-project',
  // git and its hooks
  '.gitattributes',
  '.gitmodules',
  '.gitconfig',
  '.config/git',
  '.githooks',
  'githooks',
  '.husky',
  '.pre-commit-config.yaml',
  '.pre-commit-hooks.yaml',
  'lefthook.yml',
  'lefthook.yaml',
  '.lefthook.yml',
  '.lefthook.yaml',
  '.lintstagedrc',
  '.lintstagedrc.*',
  'lint-staged.config.*',
  '.overcommit.yml',
  // continuous integration
  '.github/workflows',
  '.github/actions',
  '.gitlab-ci.yml',
  '.gitlab',
  '.circleci',
  '.buildkite',
  '.travis.yml',
  '.drone.yml',
  '.woodpecker',
  '.woodpecker.yml',
  '.forgejo',
  '.gitea',
  'jenkinsfile',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'appveyor.yml',
  'cloudbuild.yaml',
  'codemagic.yaml',
  // shells and what they start
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.inputrc',
  '.config/fish',
  '.envrc',
  '.direnv',
  'mise.toml',
  '.mise.toml',
  '.mise',
  '.tool-versions',
  '.screenrc',
  '.tmux.conf',
  '.xinitrc',
  '.xprofile',
  '.config/autostart',
  '.config/systemd',
  '.local/bin',
  '.ssh',
  '.gdbinit',
  '.lldbinit',
  '.curlrc',
  '.wgetrc',
  '.ripgreprc',
  // languages and package managers
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.yarn/releases',
  '.yarn/plugins',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnpmfile.cjs',
  'pnpmfile.cjs',
  'bunfig.toml',
  '*.pth',
  'sitecustomize.py',
  'usercustomize.py',
  '.pythonrc',
  '.pythonrc.py',
  '.pip',
  'pip.conf',
  'pip.ini',
  '.condarc',
  '.cargo',
  'rust-toolchain',
  'rust-toolchain.toml',
  '.rprofile',
  '.irbrc',
  '.pryrc',
  '.bundle',
  '.mvn',
  '.sbtopts',
  '.jvmopts',
  '.bazelrc',
  '.perldb',
  '.clangd'
]

/** What a folder of git's own holds; with these names below `something.git` it is a bare repository. */
const GIT_INTERNALS = ['hooks', 'config', 'head', 'info', 'objects', 'refs', 'packed-refs', 'modules', 'worktrees']

/** Names that nothing may write to, approved or not. */
export const PROTECTED_NAMES: readonly string[] = ['.git', 'git~1', ...GIT_INTERNALS.map(name => `*.git/${name}`)]

/** One list of patterns, ready for many paths. */
export class NamePatterns {
  #exact = new Set<string>()
  #sequences: Pattern[][] = []

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const names = fold(pattern).split('/').filter(Boolean)
      if (names.length === 1 && !names[0]!.includes('*')) this.#exact.add(names[0]!)
      else if (names.length > 0) this.#sequences.push(names.map(compile))
    }
  }

  /** Whether the path, given as folded names, is covered. */
  covers(names: readonly string[]): boolean {
    for (let at = 0; at < names.length; at++) {
      if (this.#exact.has(names[at]!)) return true
      for (const sequence of this.#sequences) if (standsAt(sequence, names, at)) return true
    }
    return false
  }

  /** Whether something beneath a path may be covered that would not be beneath another: the path ends as a pattern of
   * several names begins. */
  mayCoverBeneath(names: readonly string[]): boolean {
    return this.#sequences.some(sequence =>
      sequence.some((_, i) => i > 0 && i <= names.length && standsAt(sequence.slice(0, i), names, names.length - i))
    )
  }
}

interface Pattern {
  head: string
  /** What must follow the head, in order; undefined where the pattern has no star. */
  rest: string[] | undefined
}

function compile(name: string): Pattern {
  const [head, ...rest] = name.split('*')
  return { head: head!, rest: rest.length > 0 ? rest : undefined }
}

function standsAt(sequence: readonly Pattern[], names: readonly string[], at: number) {
  if (at + sequence.length > names.length) return false
  for (let i = 0; i < sequence.length; i++) if (!matches(sequence[i]!, names[at + i]!)) return false
  return true
}

// Taking the earliest place for each middle part is enough, so this never backtracks.
function matches({ head, rest }: Pattern, name: string) {
  if (!rest) return name === head
  if (!name.startsWith(head)) return false
  const tail = rest.at(-1)!
  const end = name.length - tail.length
  if (end < head.length || !name.endsWith(tail)) return false
  let from = head.length
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, from)
    if (found < 0 || found + part.length > end) return false
    from = found + part.length
  }
  return from <= end
}

// Characters that some file systems drop from names before they compare them.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u202a-\u202e\u206a-\u206f\ufeff]/gu
const ASCII = /^[ -~]*$/

/** One spelling for all that a case-folding, normalising or Windows file system takes for the same path. */
export function fold(path: string): string {
  if (!ASCII.test(path)) path = path.replace(INVISIBLE, '').normalize('NFKC').toUpperCase()
  path = path.toLowerCase()
  // Windows drops dots and spaces at the end of a name, and takes what follows a colon for a stream.
  return /[ .:](?:\/|$)|:/.test(path) ? path.split('/').map(withoutTail).join('/') : path
}

function withoutTail(name: string) {
  const cut = name.replace(/:.*$/su, '')
  let end = cut.length
  while (end > 0 && (cut[end - 1] === '.' || cut[end - 1] === ' ')) end--
  return end > 0 ? cut.slice(0, end) : name
}
