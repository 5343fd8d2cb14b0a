// Announces new waiting calls. Nothing takes the focus, and no notification can approve a call: it does not show the whole call.
import * as vscode from 'vscode'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'
import type { Session } from '../model/session.ts'
import { describeWaiting } from '../model/status-text.ts'
import type { WaitingEntry } from '../model/waiting-calls.ts'
import type { CallEditors } from './call-editors.ts'
import { settings } from './settings.ts'

export function announceWaitingCalls({ calls }: Session, editors: CallEditors): vscode.Disposable {
  /** At most one notification is open: others would cover it. */
  let isOpen = false

  async function notify({ call }: WaitingEntry) {
    if (isOpen) return
    isOpen = true
    try {
      const count = calls.entries.length
      const text = count === 1 ? `${call.tool} is waiting: ${call.approval.preview.title}` : describeWaiting(count)
      const review = 'Review'
      const picked = await vscode.window.showInformationMessage(`Toolgate: ${escapeLine(text)}`, review)
      if (picked === review) await vscode.commands.executeCommand('toolgate.review')
    } finally {
      isOpen = false
    }
  }

  /** Shows the call beside the active editor, unless another call is shown there. */
  async function showBeside(entry: WaitingEntry) {
    if (calls.entries.length === 1)
      await editors.show(entry, { preserveFocus: true, viewColumn: vscode.ViewColumn.Beside })
  }

  return vscode.Disposable.from(
    calls.opened.listen(entry => {
      const reveal = settings.reveal()
      if (reveal === 'notification') void notify(entry)
      // The tree and the status bar show the call in any case.
      else if (reveal === 'beside') showBeside(entry).catch(() => {})
    }),
    calls.settled.listen(() => {
      // The next call is announced, even if the notification about earlier ones was not answered.
      if (calls.entries.length === 0) isOpen = false
    })
  )
}
