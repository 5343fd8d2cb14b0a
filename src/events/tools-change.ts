// Which tools come and go, as events. They belong to no session and no call.
import type { Journal } from './journal.ts'

interface ToolsChange {
  source: string
  workspace?: string
  added: string[]
  removed: string[]
  changed: string[]
}

/** A journal that fails is told of once, by the store. */
export function publishToolsChange(journal: Journal, change: ToolsChange) {
  journal.append([{ type: 'tools.changed', ...change }]).catch(() => {})
}
