// The status bar: the number of waiting calls, and the mode.
import * as vscode from 'vscode'
import { MODES } from '../model/modes.ts'
import type { Session } from '../model/session.ts'
import { describeStatus } from '../model/status-text.ts'

const WARNING = new vscode.ThemeColor('statusBarItem.warningBackground')

export function createStatusBar(session: Session): vscode.Disposable {
  const { calls, modes } = session
  const status = vscode.window.createStatusBarItem('toolgate.status', vscode.StatusBarAlignment.Left, 10)
  status.name = 'Toolgate'
  const mode = vscode.window.createStatusBarItem('toolgate.mode', vscode.StatusBarAlignment.Left, 9)
  mode.name = 'Toolgate Mode'
  mode.command = 'toolgate.setMode'

  const update = () => {
    const { text, tooltip, isWarning } = describeStatus(session.state, calls.entries.length)
    Object.assign(status, {
      text,
      tooltip,
      command: session.isLive ? 'toolgate.review' : 'toolgate.start',
      backgroundColor: isWarning ? WARNING : undefined
    })
    const loosest = modes.loosest(new Date())
    mode.text = loosest
    mode.tooltip = `Toolgate mode ${loosest}: ${MODES[loosest]}`
    if (session.isLive) mode.show()
    else mode.hide()
  }
  update()
  status.show()
  return vscode.Disposable.from(
    status,
    mode,
    session.stateChanged.listen(update),
    calls.opened.listen(update),
    calls.settled.listen(update),
    modes.changed.listen(update)
  )
}
