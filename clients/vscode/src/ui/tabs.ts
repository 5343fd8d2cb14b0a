// Tabs of the window that show calls.
import * as vscode from 'vscode'
import { type CallDocument, parseUri } from './uris.ts'

/** Labels of tabs that compare several files; VS Code does not report what such a tab shows. */
export type MultiDiffLabels = ReadonlyMap<string, string>

export interface CallTab {
  readonly id: string
  readonly part: CallDocument['part'] | 'multi-diff'
}

/** Returns the call that a tab shows. `labels` are the calls by the labels of such tabs. */
export function findCallOfTab(tab: vscode.Tab | undefined, labels: MultiDiffLabels): CallTab | undefined {
  if (!tab) return undefined
  const { input, label } = tab
  if (input instanceof vscode.TabInputText) return parseUri(input.uri)
  if (input instanceof vscode.TabInputTextDiff) return parseUri(input.modified)
  const id = labels.get(label)
  return id === undefined ? undefined : { id, part: 'multi-diff' }
}

/** Returns the call of the active tab. */
export const findActiveCall = (labels: MultiDiffLabels): CallTab | undefined =>
  findCallOfTab(vscode.window.tabGroups.activeTabGroup.activeTab, labels)

/** Returns all tabs that match. */
export const findTabs = (fits: (tab: vscode.Tab) => boolean): vscode.Tab[] =>
  vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(fits)
