// Commands of the extension, and messages about them.
import * as vscode from 'vscode'
import type { DecisionReport } from '../model/decide.ts'
import type { WaitingEntry } from '../model/waiting-calls.ts'

/** Registers a command. The arguments come from VS Code: the entry of a tree, the address of an editor, or nothing. */
// biome-ignore lint/suspicious/noExplicitAny: each command knows its arguments
export type RegisterCommand = (id: string, run: (...args: any[]) => unknown) => void

/** Returns a function that registers commands. Their errors are shown to the person. */
export const createCommandRegistry =
  (disposables: vscode.Disposable[]): RegisterCommand =>
  (id, run) => {
    const registration = vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        return await run(...args)
      } catch (error) {
        report({ level: 'error', text: (error as Error).message })
        return undefined
      }
    })
    disposables.push(registration)
  }

/** Returns the waiting call that a command was given. From the title of an editor, commands get its address instead. */
export const toEntry = (argument: unknown): WaitingEntry | undefined =>
  typeof argument === 'object' && argument !== null && 'call' in argument ? (argument as WaitingEntry) : undefined

const BRIEF_MS = 6_000

/** Shows a message in the status bar, which takes neither the focus nor a click. */
export function showBriefly(text: string) {
  vscode.window.setStatusBarMessage(`$(shield) Toolgate: ${text}`, BRIEF_MS)
}

/** Reports the result of a command. */
export function report(result: DecisionReport | undefined) {
  if (!result) return
  const { level, text } = result
  if (level === 'information') showBriefly(text)
  else if (level === 'warning') void vscode.window.showWarningMessage(`Toolgate: ${text}`)
  else void vscode.window.showErrorMessage(`Toolgate: ${text}`)
}
