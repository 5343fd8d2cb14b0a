// Entry of the extension: connects the parts.
import { randomUUID } from 'node:crypto'
import * as vscode from 'vscode'
import { Session } from './model/session.ts'
import { CallDocuments } from './ui/call-documents.ts'
import { CallEditors } from './ui/call-editors.ts'
import { createCommandRegistry } from './ui/commands.ts'
import { maintainContextKeys } from './ui/context-keys.ts'
import { DecisionCommands } from './ui/decision-commands.ts'
import { createEffectHandlers } from './ui/effects.ts'
import { createStatusBar } from './ui/status-bar.ts'
import { createWaitingTree } from './ui/waiting-tree.ts'

export function activate({ subscriptions }: vscode.ExtensionContext) {
  const session = new Session({ env: process.env, clientId: `vscode-${randomUUID()}` })
  const documents = new CallDocuments()
  const editors = new CallEditors(session, documents)
  const command = createCommandRegistry(subscriptions)
  new DecisionCommands(session, editors).register(command)
  subscriptions.push(
    documents,
    editors,
    createWaitingTree(session),
    createStatusBar(session),
    maintainContextKeys(session, editors),
    session
  )
  const connect = () => {
    const folders = vscode.workspace.workspaceFolders?.filter(({ uri }) => uri.scheme === 'file') ?? []
    session.connect(
      folders.map(({ uri }) => uri.fsPath),
      createEffectHandlers(editors)
    )
  }
  subscriptions.push(vscode.workspace.onDidChangeWorkspaceFolders(connect))
  command('toolgate.connect', connect)
  connect()
}
