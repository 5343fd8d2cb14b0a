// Context keys, on which keys and menus depend.
import * as vscode from 'vscode'
import type { Session } from '../model/session.ts'
import type { ActiveTab, TabRef } from './active-tab.ts'

const setKey = (key: string, value: unknown) => vscode.commands.executeCommand('setContext', `toolgate.${key}`, value)

export function maintainContextKeys(session: Session, activeTab: ActiveTab): vscode.Disposable {
  const { calls } = session
  const updateActive = () => void setKey('active', describeActive(activeTab.current, session))
  const updateConnection = () => void setKey('connection', session.state.state)
  updateActive()
  updateConnection()
  return vscode.Disposable.from(
    activeTab.onDidChange(updateActive),
    calls.opened.listen(updateActive),
    calls.settled.listen(updateActive),
    session.stateChanged.listen(updateConnection)
  )
}

/** Returns the kind of the active editor: `diff`, `card`, `ended` for a call that no longer waits, or the part. */
function describeActive(active: TabRef | undefined, { calls }: Session): string {
  if (!active) return ''
  const { id, part } = active
  if (part === 'undo' || part === 'proposal' || part === 'params') return part
  if (!calls.find(id)) return 'ended'
  return part === 'card' ? 'card' : 'diff'
}
