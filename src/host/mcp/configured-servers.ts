// Which servers there are for a workspace, by all files that bring some. What the workspace's own file says counts for more,
// but only once the user trusts that; until then it may do nothing but switch one off.
import type { Brought } from '../../config/contributions.ts'
import type { McpSettings } from '../../config/mcp.ts'
import type { Workspace } from '../host.ts'
import type { Entry } from './workspace-mcp-server.ts'

interface Entries {
  /** Each with a name of its own. */
  runnable: Entry[]
  /** Named for people to see. */
  listed: Entry[]
}

export function entriesFor(workspace: Workspace, brought: readonly Brought[], settings: McpSettings): Entries {
  const runnable = new Map<string, Entry>()
  const listed: Entry[] = []
  for (const { file, trusted, workspace: root, mcp_servers } of brought) {
    if (root !== undefined && root !== workspace.root) continue
    for (const [name, config] of Object.entries(mcp_servers)) {
      const from_workspace = root !== undefined
      const entry: Entry = { name, config, ...(file !== undefined && { file }), from_workspace, trusted }
      if (trusted) runnable.set(name, entry)
      else listed.push(entry)
      const known = runnable.get(name)
      if (!trusted && config.disabled && known)
        runnable.set(name, { ...known, config: { ...known.config, disabled: true } })
    }
  }
  const all = [...runnable.values()]
  if (!settings.enabled) return { runnable: [], listed: [...all.map(switchedOff), ...listed] }
  const off = all.filter(({ config }) => config.disabled)
  return { runnable: all.filter(({ config }) => !config.disabled), listed: [...off, ...listed] }
}

const switchedOff = (entry: Entry): Entry => ({ ...entry, config: { ...entry.config, disabled: true } })
