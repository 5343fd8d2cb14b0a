// Secrets that a sandboxed program may have read, because they appeared in the workspace while it ran.
import { ToolError } from '../../errors.ts'
import type { SecretExposure } from '../sandbox/sandbox.ts'
import type { OutputCheck } from './command/held-output.ts'

/** Returns the check that precedes the release of a program's output. */
export const toOutputCheck = (exposure: SecretExposure): OutputCheck => ({
  findReason: () => explainExposure(exposure),
  isDue: exposure.detected
})

/** Returns the reason for which a program's output is withheld; undefined if no secret was exposed to it. */
export async function explainExposure(exposure: SecretExposure): Promise<ToolError | undefined> {
  const [path] = await exposure.find()
  if (path === undefined) return undefined
  return new ToolError(
    'SENSITIVE_PATH',
    `${path}, which may contain credentials, appeared, was moved or replaced while the program was running, so the ` +
      'program could read the file. The program was stopped, and its output is withheld. Run the program again.',
    { path }
  )
}
