// The view with the calls that wait for a decision.
import * as vscode from 'vscode'
import type { Session } from '../model/session.ts'
import { describeWaiting } from '../model/status-text.ts'
import { describeWaitingCall } from '../model/tree-items.ts'
import type { WaitingEntry } from '../model/waiting-calls.ts'
import { toTreeItem } from './tree-item.ts'

export function createWaitingTree({ calls }: Session): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>()
  const view = vscode.window.createTreeView<WaitingEntry>('toolgate.waiting', {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: entry => (entry ? [] : [...calls.entries]),
      getTreeItem: entry =>
        Object.assign(toTreeItem(describeWaitingCall(entry, new Date())), {
          command: { command: 'toolgate.review', title: 'Review', arguments: [entry] }
        })
    }
  })
  const update = () => {
    const count = calls.entries.length
    view.badge = count === 0 ? undefined : { value: count, tooltip: describeWaiting(count) }
    changed.fire()
  }
  return vscode.Disposable.from(
    view,
    changed,
    calls.opened.listen(update),
    calls.renewed.listen(update),
    calls.settled.listen(update)
  )
}
