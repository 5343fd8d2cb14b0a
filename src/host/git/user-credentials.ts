// What git needs of the user to get into a remote: how they have configured the way there, and whatever holds their keys.
// Of a repository's own settings nothing has a say.
import { CERTIFICATE_VARIABLES } from '../certificate-variables.ts'
import type { Environment } from '../processes/environment.ts'
import { lastValue } from './configuration.ts'
import type { GitSetting } from './hardening.ts'

/** Which of the user's settings say how a remote is reached. */
const TRANSPORT_SETTINGS =
  /^(?:credential|http|url|ssh)\.|^(?:core\.(?:sshcommand|askpass|gitproxy)|protocol\.version|pack\.threads)$/

/** Agents and helpers that hold keys, and proxies. */
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

/** Nobody is there to be asked for a word or a confirmation. */
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
    // What was configured is handed over one by one.
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1'
  }
}

/** OpenSSH is told to ask for nothing; of other programs nobody knows their options. */
function sshCommand(command: string): string {
  const [program = ''] = command.trim().split(/\s/)
  const isOpenSsh = /(?:^|\/)ssh$/.test(program)
  return isOpenSsh ? `${command} -o BatchMode=yes -o ConnectTimeout=${CONNECT_TIMEOUT_SECONDS}` : command
}
