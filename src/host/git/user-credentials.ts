// The user's settings and credential helpers that git needs to reach a remote. The repository's own settings have no effect.
import { CERTIFICATE_VARIABLES } from '../certificate-variables.ts'
import type { GitSetting } from '../git-settings.ts'
import type { Environment } from '../processes/environment.ts'
import { lastValue } from './configuration.ts'

/** Settings of the user that determine how a remote is reached. */
const TRANSPORT_SETTINGS =
  /^(?:credential|http|url|ssh)\.|^(?:core\.(?:sshcommand|askpass|gitproxy)|protocol\.version|pack\.threads)$/

/** Key agents, credential helpers, and proxies. */
const PASSED_VARIABLES = [
  'SSH_AUTH_SOCK',
  'XDG_CONFIG_HOME',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'USER',
  'LOGNAME',
  'TMPDIR',
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'].flatMap(name => [name, name.toUpperCase()]),
  ...CERTIFICATE_VARIABLES
]
const CONNECT_TIMEOUT_SECONDS = 30

export const transportSettings = (users: readonly GitSetting[]): GitSetting[] =>
  users.filter(([key]) => TRANSPORT_SETTINGS.test(key))

/** Disables all prompts: git runs without a user. */
export function userEnvironment(own: Environment, users: readonly GitSetting[], home: string): Record<string, string> {
  const taken = PASSED_VARIABLES.flatMap(name => (own[name] === undefined ? [] : [[name, own[name]] as const]))
  return {
    ...Object.fromEntries(taken),
    HOME: home,
    LC_ALL: 'C',
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_TERMINAL_PROMPT: '0',
    GCM_INTERACTIVE: 'never',
    SSH_ASKPASS_REQUIRE: 'never',
    GIT_SSH_COMMAND: sshCommand(lastValue(users, 'core.sshcommand') ?? own.GIT_SSH_COMMAND ?? own.GIT_SSH ?? 'ssh'),
    GIT_NO_LAZY_FETCH: '1',
    // Settings are passed individually.
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1'
  }
}

/** OpenSSH is set to batch mode; options of other programs are unknown. */
function sshCommand(command: string): string {
  const [program = ''] = command.trim().split(/\s/)
  const isOpenSsh = /(?:^|\/)ssh$/.test(program)
  return isOpenSsh ? `${command} -o BatchMode=yes -o ConnectTimeout=${CONNECT_TIMEOUT_SECONDS}` : command
}
