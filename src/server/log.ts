// Server log: JSON lines, with secrets redacted.
import { type Logger, pino } from 'pino'
import type { Settings } from '../config/settings.ts'
import { maskLogLines } from '../host/secrets/mask-log-lines.ts'
import type { SecretMasker } from '../host/secrets/secret-masker.ts'

/** Fields that are redacted at any depth. */
const REDACTED_PATHS = ['token', 'call_token', 'authorization', 'password', 'secret', 'api_key'].flatMap(name => [
  name,
  `*.${name}`,
  `*.*.${name}`,
  `req.headers.${name}`
])

/** Creates the logger. `out`: standard error, unless a destination is given. */
export const createLogger = (
  { level }: Settings['log'],
  masking: SecretMasker,
  out: { write(line: string): void } = pino.destination({ fd: 2, sync: false })
): Logger => pino({ level, redact: REDACTED_PATHS }, maskLogLines(out, masking))
