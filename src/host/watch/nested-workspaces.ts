// Changes in workspaces of which one contains another: what a call changes in one is a change in the other too.
import type { Change } from '../change.ts'
import type { Workspace } from '../workspace.ts'

/** Returns a workspace's path as another's; undefined if it lies outside that. */
export function translatePath(there: Workspace, here: Workspace, path: string): string | undefined {
  if (there.name === here.name) return path
  const absolute = `${here.root}/${path}`
  return absolute.startsWith(`${there.root}/`) ? absolute.slice(there.root.length + 1) : undefined
}

/** Returns a workspace's change as another's, where an entry may be moved in or out; undefined if that does not contain it. */
export function translateChange(there: Workspace, here: Workspace, change: Change): Change | undefined {
  const path = translatePath(there, here, change.path)
  const from = change.from === undefined ? undefined : translatePath(there, here, change.from)
  if (path === undefined) return from === undefined ? undefined : { path: from, operation: 'deleted' }
  return from === undefined ? asCreated({ ...change, path }) : { ...change, path, from }
}

/** An entry moved in from elsewhere counts as created. */
const asCreated = ({ from: _, ...change }: Change): Change =>
  change.operation === 'moved' ? { ...change, operation: 'created' } : change
