// Security-relevant file names, as data. `name-patterns.ts` defines what a pattern covers.

/**
 * Files and folders that hold credentials, with all in them: reading requires strict approval; excluded from searches and listings of
 * contents. Back-ups of them count too (`backup-names.ts`).
 */
export const SENSITIVE_NAMES: readonly string[] = [
  // environments
  ...'.env .env.* *.env .env-* .env_* .envrc .flaskenv .dev.vars'.split(' '),
  // keys and certificates with keys
  ...(
    '*.pem *.key *.p12 *.pfx *.p8 *.pkcs12 *.jks *.keystore *.truststore *.ppk *.kdb *.kdbx *.keychain ' +
    '*.keychain-db *.asc.key *.ovpn *.agekey master.key authorized_keys'
  ).split(' '),
  // credential folders of programs
  ...(
    '.ssh .aws .azure .gnupg .kube .oci .password-store .docker/config.json .config/gh .config/hub .config/glab-cli ' +
    '.config/gcloud .config/doctl .config/op .config/rclone .config/git/credentials .config/containers/auth.json ' +
    '.config/github-copilot .terraform.d/credentials.tfrc.json .cargo/credentials .cargo/credentials.toml ' +
    '.gem/credentials .m2/settings.xml .m2/settings-security.xml .gradle/gradle.properties .mozilla ' +
    '.local/share/keyrings .codex/auth.json .claude/.credentials.json'
  ).split(' '),
  // single credential files
  ...(
    '.netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf .s3cfg .boto .htpasswd ' +
    '.git-credentials .dockercfg .terraformrc terraform.rc .databrickscfg .renviron .bundle/config .vault-token ' +
    '.vault_pass .vault_pass.txt .token *.kubeconfig *.tfstate *.tfstate.backup *.tfvars *.tfvars.json ' +
    '*-credentials.json *_credentials.json application_default_credentials.json client_secret*.json ' +
    'service-account*.json service_account*.json *-service-account.json serviceaccount*.json ' +
    '*firebase-adminsdk*.json local.settings.json nuget.config keystore.properties wg*.conf wireguard.conf ' +
    'rclone.conf .rclone.conf secring.gpg secret.json secret.yml secret.yaml secret.toml secrets.json secrets.yml ' +
    'secrets.yaml secrets.toml wp-config.php .bash_history .zsh_history .python_history .node_repl_history ' +
    '.psql_history .mysql_history'
  ).split(' ')
]

/** Files that hold credentials. Folders with these names are common in source code, and hold none. */
export const SENSITIVE_FILE_NAMES: readonly string[] = (
  'id_rsa id_dsa id_ecdsa id_ecdsa_sk id_ed25519 id_ed25519_sk *_rsa *_dsa *_ecdsa *_ed25519 deploy_key *_deploy_key ' +
  'credentials credentials.* shadow gshadow auth.json kubeconfig'
).split(' ')

/** Documentation that looks like a credential file by name, and must stay readable. */
export const NON_SENSITIVE_NAMES: readonly string[] = (
  '.env.example .env.sample .env.template .env.dist .env.defaults .env.schema .env.*.example .env.*.sample ' +
  '.env.*.template .env-example .env_example .env-sample .env_sample .env-template .env_template example.env ' +
  'sample.env template.env credentials.example.* credentials.*.example credentials.md credentials.ts credentials.js ' +
  'credentials.py credentials.go credentials.rs credentials.java credentials.rb'
).split(' ')

/** Contents of a git folder; a folder `something.git` with these names is a bare repository. */
const GIT_INTERNALS = ['hooks', 'config', 'head', 'info', 'objects', 'refs', 'packed-refs', 'modules', 'worktrees']

/**
 * Entries of a git folder with the contents of files, whatever their names: stored objects, patches, and messages that were edited
 * beside the changes they describe (`git commit --verbose`), with their back-ups.
 */
export const GIT_STORES = [
  ...['objects', 'modules', 'lfs', 'annex', 'rr-cache', 'lost-found'],
  ...['rebase-apply', 'rebase-merge/*patch*', '*ADD_EDIT.patch*', '*addp-hunk-edit.diff*'],
  ...['*EDITMSG*', '*MERGE_MSG*', '*SQUASH_MSG*', '*GITGUI_MSG*']
]

/** Reading from these requires strict approval: what is stored there may have been a file that holds credentials. */
export const GIT_STORE_NAMES: readonly string[] = GIT_STORES.flatMap(name => [
  `*.git/${name}`,
  `*.git/worktrees/*/${name}`
])

/** Names that are never writable, with or without approval. */
export const PROTECTED_NAMES: readonly string[] = ['.git', 'git~1', ...GIT_INTERNALS.map(name => `*.git/${name}`)]

/** Temporary files of editors: locks, unsaved texts, swap files. No other program needs them. */
export const EDITOR_TEMP_FILE_NAMES: readonly string[] = '.#* #*# .*.swp .*.swo .*.swn .*.swx .~lock.*#'.split(' ')

/** Folders of third-party code with thousands of files: their content is executed or loaded anyway. */
export const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set(['node_modules', 'site-packages', '__pycache__'])
