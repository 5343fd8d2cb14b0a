// Context keys, on which keys and menus depend.
import * as vscode from 'vscode'
import type { Session } from '../model/session.ts'
import type { CallEditors } from './call-editors.ts'

const setKey = (key: string, value: unknown) => vscode.commands.executeCommand('setContext', `toolgate.${key}`, value)

export function maintainContextKeys(session: Session, editors: CallEditors): vscode.Disposable {
  const { calls } = session
  /** `toolgate.active`: the kind of the active editor, such as `diff`, or `ended` for a call that no longer waits. */
  const updateActive = () => {
    const { active } = editors
    const isWaiting = calls.find(active?.id) !== undefined
    const kind = !active
      ? ''
      : active.part === 'undo'
        ? 'undo'
        : !isWaiting
          ? 'ended'
          : active.part === 'card'
            ? 'card'
            : 'diff'
    void setKey('active', kind)
  }
  const updateConnection = () => void setKey('connection', session.state.state)
  updateActive()
  updateConnection()
  return vscode.Disposable.from(
    editors.onDidChangeActive(updateActive),
    calls.opened.listen(updateActive),
    calls.settled.listen(updateActive),
    session.stateChanged.listen(updateConnection)
  )
}
