// The texts of the documents that show calls. They are read-only.
import * as vscode from 'vscode'
import { SCHEME } from './uris.ts'

const GONE = 'This call is no longer shown. Open it again in the Toolgate view.'

export class CallDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>()
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.#changed.event
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this)

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? GONE
  }

  set(uri: vscode.Uri, text: string) {
    const key = uri.toString()
    if (this.#texts.get(key) === text) return
    this.#texts.set(key, text)
    this.#changed.fire(uri)
  }

  delete(uri: vscode.Uri) {
    this.#texts.delete(uri.toString())
  }

  dispose() {
    this.#registration.dispose()
    this.#changed.dispose()
  }
}
