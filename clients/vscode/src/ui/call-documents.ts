// The texts of the documents that show calls. They are read-only.
import * as vscode from 'vscode'
import { SCHEME } from './uris.ts'

const GONE = 'This call is no longer shown. Open it again in the Toolgate view.'

export class CallDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>()
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly #registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this)
  readonly onDidChange = this.#changed.event

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

  /** Returns true if the document has the current text: VS Code loads a changed text later. */
  isCurrent(document: vscode.TextDocument): boolean {
    const text = this.#texts.get(document.uri.toString())
    return text !== undefined && normalize(document.getText()) === normalize(text)
  }

  dispose() {
    this.#registration.dispose()
    this.#changed.dispose()
  }
}

const normalize = (text: string) => text.replaceAll('\r\n', '\n')
