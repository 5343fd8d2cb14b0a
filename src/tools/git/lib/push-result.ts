// Parses the output of `git push --porcelain` and maps its errors.
import { ToolError } from '../../../errors.ts'
import type { ErrorCode } from '../../../protocol/error-codes.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'

type PushOutcome = 'created' | 'updated' | 'forced' | 'up_to_date'

const OUTCOMES: Readonly<Record<string, PushOutcome>> = {
  '*': 'created',
  ' ': 'updated',
  '+': 'forced',
  '=': 'up_to_date'
}

/** Error messages after the connection to the remote was established. */
const REFUSALS: readonly [RegExp, ErrorCode, string][] = [
  [
    /\[rejected\] \((?:non-fast-forward|fetch first)\)/,
    'CONFLICT',
    'The remote branch has commits that are missing in the local branch. Integrate them first, for example with `git pull --rebase` in shell_exec.'
  ],
  [
    /\[rejected\] \(stale info\)/,
    'CONFLICT',
    'The remote branch has changed since the last fetch. Fetch the branch, and review its new commits.'
  ],
  [/\[rejected\]/, 'CONFLICT', 'The push was rejected.'],
  [
    /\[remote rejected\] \(branch is currently checked out\)/,
    'CONFLICT',
    'The branch is checked out in the target repository.'
  ],
  [/\[remote rejected\]/, 'PERMISSION_DENIED', 'The remote rejected the push.']
]

/** Error messages before that. */
const FAILURES: readonly [RegExp, ErrorCode, string][] = [
  [
    /Host key verification failed/i,
    'PERMISSION_DENIED',
    'The host key is unknown or has changed. Check the key, then connect to the host once with ssh.'
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied|Access denied|returned error: 40[13]|Invalid username or/i,
    'PERMISSION_DENIED',
    'Authentication at the remote failed. Check your ssh agent or credential helper.'
  ],
  [
    /Could not resolve host|Name or service not known|Temporary failure in name resolution/i,
    'NETWORK_ERROR',
    'The host of the remote was not found.'
  ],
  [
    /Connection (?:refused|timed out|reset|closed)|Failed to connect|Couldn't connect|Operation timed out|Network is unreachable|hung up|SSL|certificate|RPC failed/i,
    'NETWORK_ERROR',
    'The remote could not be reached, or the connection was lost.'
  ],
  [/transport '.*' not allowed/, 'URL_BLOCKED', "The protocol of the remote's URL is not supported."],
  [
    /Repository not found|does not appear to be a git repository|returned error: 404/i,
    'EXECUTION_ERROR',
    'The repository does not exist, or you have no access to it.'
  ]
]

interface PushProcessResult {
  code: number | null
  stdout: Buffer
  stderr: string
}

/** Throws if the push failed. */
export function parsePushResult({ code, stdout, stderr }: PushProcessResult): {
  outcome: PushOutcome
  remote_says: string
} {
  const line = stdout
    .toString('utf8')
    .split('\n')
    .find(each => /^[ +*=!-]\t/.test(each))
  const outcome = line === undefined ? undefined : OUTCOMES[line[0]!]
  const message = cleanStderr(stderr)
  if (code === 0 && outcome) return { outcome, remote_says: remoteMessages(message) }
  const [where, table] = line === undefined ? [message, FAILURES] : [line, REFUSALS]
  const [, error = 'EXECUTION_ERROR', hint = 'The push failed.'] = table.find(([pattern]) => pattern.test(where)) ?? []
  const reason = line === undefined ? '' : escapeInvisible(line.split('\t')[2] ?? '')
  throw new ToolError(error as ErrorCode, [hint, reason].filter(Boolean).join(' '), {
    exit_code: code,
    ...(reason !== '' && { reason }),
    ...(message !== '' && { output: message })
  })
}

const MAX_OUTPUT_LENGTH = 4_000

/** Removes credentials and control characters. */
const cleanStderr = (stderr: string) =>
  escapeInvisible(stderr.replaceAll('\r', '\n'))
    .replaceAll(/:\/\/[^/\s@]*@/g, '://***@')
    .replaceAll(/(:\/\/[^\s'"?#]*)[?#][^\s'"]*/g, '$1?***')
    .split('\n')
    .filter(line => line.trim() !== '' && !line.startsWith('hint:'))
    .join('\n')
    .slice(0, MAX_OUTPUT_LENGTH)

const remoteMessages = (stderr: string) =>
  stderr
    .split('\n')
    .flatMap(line => (line.startsWith('remote:') ? [line.slice('remote:'.length).trim()] : []))
    .filter(Boolean)
    .join('\n')
