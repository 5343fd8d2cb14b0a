// Documents that the person edits before a decision: parameters and proposals. They are in memory; saving one decides nothing.
import * as vscode from 'vscode'
import { EDIT_SCHEME } from './uris.ts'

interface MemoryFile {
  bytes: Uint8Array
  readonly ctime: number
  mtime: number
}

export class MemoryFiles implements vscode.FileSystemProvider, vscode.Disposable {
  readonly #files = new Map<string, MemoryFile>()
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>()
  readonly onDidChangeFile = this.#changed.event
  readonly #registration = vscode.workspace.registerFileSystemProvider(EDIT_SCHEME, this, { isCaseSensitive: true })

  set(uri: vscode.Uri, text: string) {
    this.writeFile(uri, Buffer.from(text))
  }

  /** Closes the tabs of a document without a question, and removes it. */
  async remove(uri: vscode.Uri, tabs: readonly vscode.Tab[]) {
    const document = vscode.workspace.textDocuments.find(each => each.uri.toString() === uri.toString())
    if (document?.isDirty) await document.save()
    await vscode.window.tabGroups.close(tabs, true)
    this.#files.delete(uri.toString())
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, ctime, mtime } = this.#find(uri)
    return { type: vscode.FileType.File, ctime, mtime, size: bytes.length }
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.#find(uri).bytes
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array) {
    const now = Date.now()
    const known = this.#files.get(uri.toString())
    this.#files.set(uri.toString(), {
      bytes,
      ctime: known?.ctime ?? now,
      mtime: Math.max(now, (known?.mtime ?? 0) + 1)
    })
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }])
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => {})
  }

  readDirectory(): [string, vscode.FileType][] {
    return []
  }

  createDirectory(uri: vscode.Uri) {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  delete(uri: vscode.Uri) {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  rename(uri: vscode.Uri) {
    throw vscode.FileSystemError.NoPermissions(uri)
  }

  dispose() {
    this.#registration.dispose()
    this.#changed.dispose()
  }

  #find(uri: vscode.Uri): MemoryFile {
    const file = this.#files.get(uri.toString())
    if (!file) throw vscode.FileSystemError.FileNotFound(uri)
    return file
  }
}
