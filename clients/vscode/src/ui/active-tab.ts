// The document that the active tab shows. A decision is ignored for a moment after another one has become active.
import * as vscode from 'vscode'
import type { DecisionGuard } from '../model/decision-guard.ts'
import { type DocumentRef, parseUri } from './uris.ts'

/** A tab of the extension. `multi-diff` compares several files. */
export interface TabRef {
  readonly id: string
  readonly part: DocumentRef['part'] | 'multi-diff'
}

export class ActiveTab implements vscode.Disposable {
  readonly #guard: DecisionGuard
  readonly #changed = new vscode.EventEmitter<TabRef | undefined>()
  readonly onDidChange = this.#changed.event
  /** Calls by the labels of tabs that compare several files: VS Code does not report what such a tab shows. */
  readonly #multiDiffs = new Map<string, string>()
  #current: TabRef | undefined
  readonly #listeners: vscode.Disposable

  constructor(guard: DecisionGuard) {
    this.#guard = guard
    const { window } = vscode
    this.#listeners = vscode.Disposable.from(
      window.tabGroups.onDidChangeTabs(() => this.update()),
      window.tabGroups.onDidChangeTabGroups(() => this.update()),
      window.onDidChangeWindowState(({ focused }) => {
        if (focused) guard.restart()
      })
    )
  }

  get current(): TabRef | undefined {
    return this.#current
  }

  /** Declares the label of a tab that compares several files. */
  addMultiDiff(label: string, id: string) {
    this.#multiDiffs.set(label, id)
  }

  removeMultiDiff(id: string) {
    for (const [label, shown] of this.#multiDiffs) if (shown === id) this.#multiDiffs.delete(label)
  }

  update() {
    const active = this.refOf(vscode.window.tabGroups.activeTabGroup.activeTab)
    if (active?.id === this.#current?.id && active?.part === this.#current?.part) return
    this.#current = active
    this.#guard.restart()
    this.#changed.fire(active)
  }

  /** Returns all tabs about a call or a proposal. */
  tabsOf(id: string): vscode.Tab[] {
    return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(tab => this.refOf(tab)?.id === id)
  }

  refOf(tab: vscode.Tab | undefined): TabRef | undefined {
    if (!tab) return undefined
    const { input, label } = tab
    if (input instanceof vscode.TabInputText) return parseUri(input.uri)
    if (input instanceof vscode.TabInputTextDiff) return parseUri(input.modified)
    // VS Code appends the number of files.
    const [, id] = [...this.#multiDiffs].find(([title]) => label.startsWith(title)) ?? []
    return id === undefined ? undefined : { id, part: 'multi-diff' }
  }

  /** Resolves when a tab shows the call, or the signal aborts. */
  opened = (id: string, signal: AbortSignal): Promise<void> => this.#until(() => this.tabsOf(id).length > 0, signal)

  /** Resolves when no tab shows the call any more, or the signal aborts. */
  closed = (id: string, signal: AbortSignal): Promise<void> => this.#until(() => this.tabsOf(id).length === 0, signal)

  dispose() {
    this.#listeners.dispose()
    this.#changed.dispose()
  }

  async #until(fits: () => boolean, signal: AbortSignal): Promise<void> {
    if (fits() || signal.aborted) return
    await new Promise<void>(resolve => {
      const end = () => {
        listener.dispose()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const listener = vscode.window.tabGroups.onDidChangeTabs(() => fits() && end())
      signal.addEventListener('abort', end)
    })
  }
}
