// Secrets that a sandboxed program may have read, because they appeared in the workspace while it ran.
import { ToolError } from '../../errors.ts'
import type { ConfinedProgram } from '../sandbox/sandbox.ts'

/** Returns the reason for which a program's output is withheld; undefined if no secret was exposed to it. */
export async function explainExposure(
  findExposedSecrets: NonNullable<ConfinedProgram['findExposedSecrets']>
): Promise<ToolError | undefined> {
  const [path] = await findExposedSecrets()
  if (path === undefined) return undefined
  return new ToolError(
    'SENSITIVE_PATH',
    `${path}, which may hold credentials, appeared or was replaced while the program ran and could read it. The program was ` +
      'ended, and its output is withheld. Run it again.',
    { path }
  )
}
