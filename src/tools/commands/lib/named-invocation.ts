// The invocation resolved for a call, for preview and execution: not resolved again, since the workspace may have changed since
// policy evaluated it.
import type { Context, Invocation } from '../../../tool/tool.ts'

interface NamedInvocation<Name extends string> extends Required<Omit<Invocation, 'commandLine'>> {
  name: Name
}

/** `names` are all permitted values. */
export function requireInvocation<Name extends string>(
  { invocation }: Context,
  names: readonly Name[]
): NamedInvocation<Name> {
  const name = names.find(each => each === invocation?.name)
  if (!invocation || name === undefined) throw new Error('Nothing was found for the call to start.')
  return { network: [], ...invocation, name }
}
