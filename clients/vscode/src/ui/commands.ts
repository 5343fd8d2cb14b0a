// Commands of the extension, and messages about them.
import * as vscode from 'vscode'
import type { DecisionReport } from '../model/decide.ts'

/** Registers a command. The arguments come from VS Code: the entry of a tree, or nothing. */
// biome-ignore lint/suspicious/noExplicitAny: each command knows its arguments
export type RegisterCommand = (id: string, run: (...args: any[]) => unknown) => void

/** Returns a function that registers commands. Their errors are shown to the person. */
export const createCommandRegistry =
  (disposables: vscode.Disposable[]): RegisterCommand =>
  (id, run) => {
    const registration = vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        await run(...args)
      } catch (error) {
        void vscode.window.showErrorMessage(`Toolgate: ${(error as Error).message}`)
      }
    })
    disposables.push(registration)
  }

const BRIEF_MS = 6_000

/** Shows a message in the status bar, which takes neither the focus nor a click. */
export function showBriefly(text: string) {
  vscode.window.setStatusBarMessage(`$(shield) Toolgate: ${text}`, BRIEF_MS)
}

/** Reports the result of a decision. */
export async function report(decision: DecisionReport | undefined): Promise<void> {
  if (!decision) return
  const { level, text } = decision
  if (level === 'information') showBriefly(text)
  else if (level === 'warning') void vscode.window.showWarningMessage(`Toolgate: ${text}`)
  else void vscode.window.showErrorMessage(`Toolgate: ${text}`)
}
