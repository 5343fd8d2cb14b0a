// The log of the server: JSON lines, without secrets.
import { type Logger, pino } from 'pino'
import type { Settings } from '../config/schema.ts'
import { maskedLines } from '../host/secrets/mask-log-lines.ts'
import type { Masking } from '../host/secrets/secret-masker.ts'

/** Fields that never show in the log, wherever they stand. */
const SECRETS = ['token', 'call_token', 'authorization', 'password', 'secret', 'api_key'].flatMap(name => [
  name,
  `*.${name}`,
  `*.*.${name}`,
  `req.headers.${name}`
])

/** `out`: standard error, where nobody else takes the lines. */
export const openLog = (
  { level }: Settings['log'],
  masking: Masking,
  out: { write(line: string): void } = pino.destination({ fd: 2, sync: false })
): Logger => pino({ level, redact: SECRETS }, maskedLines(out, masking))
