// The view with the latest calls, and the cards with their results.
import * as vscode from 'vscode'
import type { Call } from '../../../../src/client/client.ts'
import { cardText } from '../model/card.ts'
import { getCallTitle, writeOutcomeCard } from '../model/outcome-card.ts'
import type { Session } from '../model/session.ts'
import { describeRecentCall } from '../model/tree-items.ts'
import type { ActiveTab } from './active-tab.ts'
import type { CallDocuments } from './call-documents.ts'
import type { RegisterCommand } from './commands.ts'
import { toTreeItem } from './tree-item.ts'
import { cardUri, parseUri } from './uris.ts'

export function createRecentTree({ recent }: Session): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>()
  const view = vscode.window.createTreeView<Call>('toolgate.recent', {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: call => (call ? [] : [...recent.list]),
      getTreeItem: call =>
        Object.assign(toTreeItem(describeRecentCall(call)), {
          command: { command: 'toolgate.showCall', title: 'Show', arguments: [call] }
        })
    }
  })
  return vscode.Disposable.from(
    view,
    changed,
    recent.changed.listen(() => changed.fire())
  )
}

/** Shows results of calls, and updates the open cards of calls that have ended. */
export function showOutcomes(
  session: Session,
  documents: CallDocuments,
  activeTab: ActiveTab,
  command: RegisterCommand
): vscode.Disposable {
  command('toolgate.showCall', async ({ tool_call_id }: Call) => {
    const call = await session.requireClient().get(tool_call_id)
    const uri = findCard(activeTab, tool_call_id) ?? cardUri(tool_call_id, getCallTitle(call))
    documents.set(uri, cardText(writeOutcomeCard(call)))
    await vscode.window.showTextDocument(uri, { preview: true })
  })
  const updateOpenCards = async () => {
    for (const { tool_call_id: id, status } of session.recent.list) {
      const uri = status === 'queued' || session.calls.find(id) ? undefined : findCard(activeTab, id)
      if (uri) documents.set(uri, cardText(writeOutcomeCard(await session.requireClient().get(id))))
    }
  }
  // The next change of the list updates them again.
  const update = () => void updateOpenCards().catch(() => {})
  return vscode.Disposable.from(session.recent.changed.listen(update), activeTab.onDidChange(update))
}

/** Returns the address of the open card of a call. */
function findCard(activeTab: ActiveTab, id: string): vscode.Uri | undefined {
  for (const { input } of activeTab.tabsOf(id))
    if (input instanceof vscode.TabInputText && parseUri(input.uri)?.part === 'card') return input.uri
  return undefined
}
