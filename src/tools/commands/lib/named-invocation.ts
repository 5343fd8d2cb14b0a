// The program that was found for a call, for what shows and starts it: never looked for again, since the workspace may
// say something else by then than what was judged.
import type { Context, Invocation } from '../../../tool/tool.ts'

interface NamedInvocation<Name extends string> extends Required<Omit<Invocation, 'commandLine'>> {
  name: Name
}

/** `names` are all that it may be. */
export function requireInvocation<Name extends string>(
  { invocation }: Context,
  names: readonly Name[]
): NamedInvocation<Name> {
  const name = names.find(each => each === invocation?.name)
  if (!invocation || name === undefined) throw new Error('Nothing was found for the call to start.')
  return { network: [], ...invocation, name }
}
