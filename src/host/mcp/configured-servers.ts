// Determines the MCP servers of a workspace from all configuration files. The workspace's own file takes precedence, but only
// once the user trusts it; until then it can only disable a server.
import type { Contribution } from '../../config/contributions.ts'
import type { Config } from '../../config/schema.ts'
import type { Workspace } from '../workspace.ts'
import type { McpServerEntry } from './workspace-mcp-server.ts'

interface WorkspaceEntries {
  /** Servers that may run, with unique names. */
  runnable: McpServerEntry[]
  /** Servers shown to people. */
  listed: McpServerEntry[]
}

export function entriesForWorkspace(
  workspace: Workspace,
  brought: readonly Contribution[],
  settings: Config['mcp']
): WorkspaceEntries {
  const runnable = new Map<string, McpServerEntry>()
  const listed: McpServerEntry[] = []
  for (const { file, trusted, workspace: root, mcp_servers } of brought) {
    if (root !== undefined && root !== workspace.root) continue
    for (const [name, config] of Object.entries(mcp_servers)) {
      const isFromWorkspace = root !== undefined
      const entry: McpServerEntry = { name, config, ...(file !== undefined && { file }), isFromWorkspace, trusted }
      if (trusted) runnable.set(name, entry)
      else listed.push(entry)
      const known = runnable.get(name)
      if (!trusted && config.disabled && known)
        runnable.set(name, { ...known, config: { ...known.config, disabled: true } })
    }
  }
  const all = [...runnable.values()]
  if (!settings.enabled) return { runnable: [], listed: [...all.map(disableEntry), ...listed] }
  const off = all.filter(({ config }) => config.disabled)
  return { runnable: all.filter(({ config }) => !config.disabled), listed: [...off, ...listed] }
}

const disableEntry = (entry: McpServerEntry): McpServerEntry => ({
  ...entry,
  config: { ...entry.config, disabled: true }
})
