// Events for added and removed tools. They belong to no session or call.
import type { Journal } from './journal.ts'

interface ToolsChange {
  source: string
  workspace?: string
  added: string[]
  removed: string[]
  changed: string[]
}

/** Publishes the change. The store reports a journal failure once. */
export function publishToolsChange(journal: Journal, change: ToolsChange) {
  journal.append([{ type: 'tools.changed', ...change }]).catch(() => {})
}
