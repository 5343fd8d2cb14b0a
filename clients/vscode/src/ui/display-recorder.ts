// Records which lines of documents are on the screen.
import * as vscode from 'vscode'
import type { VisibleLines } from '../model/displayed.ts'

export interface RecordedDocument {
  /** The current text: VS Code loads a changed text later, and lines of the earlier one do not count. */
  readonly text: string
  /** Called with lines that are visible. `isWrapped` is true if diff editors wrap the lines of the document. */
  readonly see: (lines: VisibleLines, isWrapped: boolean) => void
}

export class DisplayRecorder implements vscode.Disposable {
  readonly #documents = new Map<string, RecordedDocument>()
  readonly #loaded = new vscode.EventEmitter<vscode.Uri>()
  /** The editors have another text of a recorded document. */
  readonly onDidLoad = this.#loaded.event
  readonly #listeners: vscode.Disposable

  constructor() {
    const { window, workspace } = vscode
    this.#listeners = vscode.Disposable.from(
      window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#record(textEditor)),
      window.onDidChangeVisibleTextEditors(() => this.recordAll()),
      workspace.onDidChangeTextDocument(({ document }) => {
        if (!this.#documents.has(document.uri.toString())) return
        this.#loaded.fire(document.uri)
        this.recordAll()
      })
    )
  }

  /** Records a document from now on. */
  add(uri: vscode.Uri, document: RecordedDocument) {
    this.#documents.set(uri.toString(), document)
  }

  delete(uri: vscode.Uri) {
    this.#documents.delete(uri.toString())
  }

  recordAll() {
    for (const editor of vscode.window.visibleTextEditors) this.#record(editor)
  }

  dispose() {
    this.#listeners.dispose()
    this.#loaded.dispose()
  }

  #record({ document, visibleRanges }: vscode.TextEditor) {
    const recorded = this.#documents.get(document.uri.toString())
    if (!recorded || normalize(document.getText()) !== normalize(recorded.text)) return
    for (const { start, end } of visibleRanges)
      recorded.see({ first: start.line, last: end.line }, wrapsLinesInDiff(document))
  }
}

/** Returns true if diff editors wrap the lines of the document. */
export function wrapsLinesInDiff(document: vscode.TextDocument): boolean {
  const inDiff = vscode.workspace.getConfiguration('diffEditor', document).get<string>('wordWrap')
  if (inDiff !== 'inherit') return inDiff === 'on'
  const inEditor = vscode.workspace.getConfiguration('editor', document).get<string>('wordWrap')
  return inEditor === 'on' || inEditor === 'bounded'
}

const normalize = (text: string) => text.replaceAll('\r\n', '\n')
