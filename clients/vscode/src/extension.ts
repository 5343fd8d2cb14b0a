// Entry of the extension: connects its parts.
import { randomUUID } from 'node:crypto'
import * as vscode from 'vscode'
import { DecisionGuard } from './model/decision-guard.ts'
import { Session } from './model/session.ts'
import { ActiveTab } from './ui/active-tab.ts'
import { CallDocuments } from './ui/call-documents.ts'
import { CallEditors } from './ui/call-editors.ts'
import { createCardLenses } from './ui/card-lenses.ts'
import { createCommandRegistry } from './ui/commands.ts'
import { maintainContextKeys } from './ui/context-keys.ts'
import { DecisionCommands } from './ui/decision-commands.ts'
import { DisplayRecorder } from './ui/display-recorder.ts'
import { createEffectHandlers } from './ui/effects.ts'
import { createJobsTree, registerJobCommands } from './ui/job-terminal.ts'
import { LineComments } from './ui/line-comments.ts'
import { MemoryFiles } from './ui/memory-files.ts'
import { registerModeCommands } from './ui/mode-commands.ts'
import { announceWaitingCalls } from './ui/notifications.ts'
import { ParamsEditor } from './ui/params-editor.ts'
import { Proposals } from './ui/proposals.ts'
import { createRecentTree, showOutcomes } from './ui/recent-calls.ts'
import { ServerCommands } from './ui/server-commands.ts'
import { getEnvironment, settings } from './ui/settings.ts'
import { createStatusBar } from './ui/status-bar.ts'
import { UndoCommands } from './ui/undo-commands.ts'
import { UnsavedText } from './ui/unsaved-text.ts'
import { createWaitingTree } from './ui/waiting-tree.ts'

/** The window closes: others need not wait until the lease of its buffers has expired. */
let dropBuffers: (() => Promise<void>) | undefined

export function activate({ subscriptions }: vscode.ExtensionContext) {
  const session = new Session({ getEnvironment, clientId: `vscode-${randomUUID()}` })
  const guard = new DecisionGuard()
  const documents = new CallDocuments()
  const files = new MemoryFiles()
  const recorder = new DisplayRecorder()
  const activeTab = new ActiveTab(guard)
  const shared = { session, documents, files, recorder, activeTab, guard }
  const editors = new CallEditors(shared)
  const comments = new LineComments(session)
  const proposals = new Proposals(shared)
  const unsavedText = new UnsavedText(session)
  const paramsEditor = new ParamsEditor({ ...shared, editors })
  const server = new ServerCommands(session)
  const command = createCommandRegistry(subscriptions)

  new DecisionCommands({ ...shared, editors, comments }).register(command)
  comments.register(command)
  new UndoCommands(shared).register(command)
  proposals.register(command)
  paramsEditor.register(command)
  server.register(command)
  registerModeCommands(session, activeTab, command)
  subscriptions.push(
    documents,
    files,
    recorder,
    activeTab,
    editors,
    comments,
    unsavedText,
    paramsEditor,
    server,
    createWaitingTree(session),
    createJobsTree(session),
    registerJobCommands(session, command),
    createRecentTree(session),
    showOutcomes(session, documents, activeTab, command),
    createStatusBar(session),
    createCardLenses(session),
    maintainContextKeys(session, activeTab),
    announceWaitingCalls(session, editors)
  )

  const handlers = createEffectHandlers({ ...shared, proposals, unsavedText })
  const connect = () => session.connect(listFolders(), handlers)
  command('toolgate.connect', connect)
  command('toolgate.disconnect', () => session.disconnect())
  subscriptions.push(
    vscode.workspace.onDidChangeWorkspaceFolders(connect),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (['toolgate.url', 'toolgate.tokenFile'].some(name => event.affectsConfiguration(name))) connect()
    }),
    session
  )
  dropBuffers = unsavedText.drop
  if (settings.connect()) connect()
}

export const deactivate = (): Promise<void> | undefined => dropBuffers?.()

const listFolders = (): string[] =>
  (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath)
