// Watches documents with unsaved changes, and reports them to the server.
import * as vscode from 'vscode'
import type { Session } from '../model/session.ts'
import { type UnsavedBuffer, UnsavedBufferReporter } from '../model/unsaved-buffers.ts'
import { toWorkspaceFile } from '../model/workspace-paths.ts'
import { settings } from './settings.ts'

/** Delay after the last change, in milliseconds. */
const SETTLE_MS = 300
/** The server drops buffers that are not renewed for two minutes. */
const RENEW_MS = 45_000
/** Larger documents are not reported, in characters. */
const MAX_LENGTH = 8_000_000

export class UnsavedText implements vscode.Disposable {
  readonly #session: Session
  readonly #reporter: UnsavedBufferReporter
  readonly #listeners: vscode.Disposable
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(session: Session) {
    this.#session = session
    this.#reporter = new UnsavedBufferReporter({
      clientId: session.clientId,
      getClient: () => (session.isLive ? session.client : undefined),
      list: () => this.#list()
    })
    const { workspace } = vscode
    const soon = () => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.#reporter.report(), SETTLE_MS)
    }
    const renewal = setInterval(() => void this.#reporter.renew(), RENEW_MS)
    this.#listeners = vscode.Disposable.from(
      workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.scheme === 'file') soon()
      }),
      workspace.onDidSaveTextDocument(soon),
      workspace.onDidCloseTextDocument(soon),
      workspace.onDidChangeConfiguration(soon),
      session.connected.listen(() => void this.#reporter.reset()),
      { dispose: () => clearInterval(renewal) }
    )
  }

  /** Reports the current state now, after a change that the server has requested. */
  report = (): Promise<void> => this.#reporter.report()

  /** Drops all buffers, when the window closes. */
  drop = (): Promise<void> => this.#reporter.drop()

  dispose() {
    clearTimeout(this.#timer)
    this.#listeners.dispose()
  }

  #list(): UnsavedBuffer[] {
    if (!settings.shareUnsavedText()) return []
    return vscode.workspace.textDocuments.flatMap(document => {
      if (!document.isDirty || document.uri.scheme !== 'file') return []
      const file = toWorkspaceFile(document.uri.fsPath, this.#session.workspaces)
      const content = document.getText()
      return file && content.length <= MAX_LENGTH ? [{ ...file, version: document.version, content }] : []
    })
  }
}
