// A window of VS Code for tests: it records what the extension shows, and opens documents in editors of a few lines. It decides
// nothing; the extension and the server behind it are real.
import { readFileSync } from 'node:fs'

// biome-ignore lint/suspicious/noExplicitAny: the extension is loaded without its types
type Any = any

/** Number of lines that an editor shows. */
const EDITOR_LINES = 20

class EventEmitter<T> {
  readonly #listeners = new Set<(value: T) => unknown>()
  event = (listener: (value: T) => unknown) => {
    this.#listeners.add(listener)
    return new Disposable(() => this.#listeners.delete(listener))
  }
  fire = (value: T) => {
    for (const listener of [...this.#listeners]) listener(value)
  }
  dispose = () => this.#listeners.clear()
}

class Disposable {
  readonly dispose: () => unknown
  constructor(dispose: () => unknown) {
    this.dispose = dispose
  }
  static from = (...all: { dispose(): unknown }[]) => new Disposable(() => all.map(each => each.dispose()))
}

class Uri {
  readonly scheme: string
  readonly path: string
  readonly query: string
  constructor(scheme: string, path: string, query = '') {
    this.scheme = scheme
    this.path = path
    this.query = query
  }
  get fsPath() {
    return this.path
  }
  toString = () => `${this.scheme}:${this.path}?${this.query}`
  static from = ({ scheme, path, query }: Any) => new Uri(scheme, path, query)
  static file = (path: string) => new Uri('file', path)
  static parse = (text: string) => new Uri(new URL(text).protocol.slice(0, -1), text)
}

class Position {
  readonly line: number
  readonly character: number
  constructor(line: number, character: number) {
    this.line = line
    this.character = character
  }
}

class Range {
  readonly start: Position
  readonly end: Position
  constructor(...at: [Position, Position] | [number, number, number, number]) {
    this.start = at.length === 4 ? new Position(at[0], at[1]) : at[0]
    this.end = at.length === 4 ? new Position(at[2], at[3]) : at[1]
  }
}

class Value {
  readonly values: unknown[]
  constructor(...values: unknown[]) {
    this.values = values
  }
}

class TreeItem {
  readonly label: string
  constructor(label: string) {
    this.label = label
  }
}

class CodeLens {
  readonly range: Range
  readonly command: { title: string; command: string }
  constructor(range: Range, command: { title: string; command: string }) {
    this.range = range
    this.command = command
  }
}

class TabInputText {
  readonly uri: Uri
  constructor(uri: Uri) {
    this.uri = uri
  }
}

class TabInputTextDiff {
  readonly original: Uri
  readonly modified: Uri
  constructor(original: Uri, modified: Uri) {
    this.original = original
    this.modified = modified
  }
}

class TextDocument {
  readonly uri: Uri
  isDirty = false
  isClosed = false
  version = 1
  readonly save: () => Promise<boolean>
  #text: string
  constructor(uri: Uri, text: string, save: (document: TextDocument) => Promise<boolean>) {
    this.uri = uri
    this.#text = text
    this.save = () => save(this)
  }
  getText = () => this.#text
  setText(text: string) {
    this.#text = text
    this.version++
  }
  get lineCount() {
    return this.#text.split('\n').length
  }
  lineAt = (line: number) => ({ text: this.#text.split('\n')[line]! })
  positionAt(offset: number) {
    const before = this.#text.slice(0, offset).split('\n')
    return new Position(before.length - 1, before.at(-1)!.length)
  }
  offsetAt = ({ line, character }: Position) =>
    this.#text
      .split('\n')
      .slice(0, line)
      .reduce((sum, each) => sum + each.length + 1, 0) + character
}

class WorkspaceEdit {
  readonly edits: { uri: Uri; range: Range; text: string }[] = []
  replace = (uri: Uri, range: Range, text: string) => this.edits.push({ uri, range, text })
}

interface Tab {
  readonly label: string
  readonly input: unknown
  /** The documents that the tab shows. */
  readonly documents: readonly TextDocument[]
}

/** Creates a window on a folder with these settings. */
export function createWindow(root: string, settings: Readonly<Record<string, unknown>>) {
  const events = Object.fromEntries(
    [
      'visibleRanges',
      'visibleEditors',
      'windowState',
      'tabs',
      'tabGroups',
      'changeDocument',
      'saveDocument',
      'closeDocument',
      'configuration',
      'folders',
      'closeTerminal'
    ].map(name => [name, new EventEmitter<Any>()])
  ) as Record<string, EventEmitter<Any>>
  const commands = new Map<string, (...args: unknown[]) => unknown>()
  const trees = new Map<string, Any>()
  const statusItems = new Map<string, Any>()
  const contexts = new Map<string, unknown>()
  const documents = new Map<string, TextDocument>()
  const providers = new Map<string, Any>()
  const terminals: { name: string; text: string; options: Any }[] = []
  const messages: string[] = []
  const brief: string[] = []
  const diagnostics: [Uri, unknown[]][] = []
  const opened: string[] = []
  /** Answers of the person to the next questions. */
  const answers: unknown[] = []
  const questions: Any[] = []
  const threads = new Set<Any>()
  let lenses: Any
  let commentController: Any
  let tabs: Tab[] = []
  let active: Tab | undefined
  let editors: Any[] = []

  const ask = async (question: unknown) => {
    questions.push(question)
    return answers.shift()
  }
  const notify = async (message: string, ...rest: Any[]) => {
    messages.push(message)
    return rest.some(each => each?.modal) ? ask({ message, ...rest[0] }) : undefined
  }

  async function openDocument(uri: Uri): Promise<TextDocument> {
    const known = documents.get(uri.toString())
    if (known) return known
    const provider = providers.get(uri.scheme)
    const text =
      uri.scheme === 'file'
        ? readFileSync(uri.fsPath, 'utf8')
        : provider.readFile
          ? Buffer.from(provider.readFile(uri)).toString()
          : provider.provideTextDocumentContent(uri)
    const document = new TextDocument(uri, text, async saved => {
      saved.isDirty = false
      provider?.writeFile?.(uri, Buffer.from(saved.getText()))
      events.saveDocument!.fire(saved)
      return true
    })
    documents.set(uri.toString(), document)
    return document
  }

  function createEditor(document: TextDocument) {
    const show = (first: number) => [new Range(first, 0, Math.min(document.lineCount, first + EDITOR_LINES) - 1, 0)]
    const editor = {
      document,
      viewColumn: 1,
      selection: undefined,
      visibleRanges: show(0),
      revealRange({ start }: Range) {
        editor.visibleRanges = show(start.line)
        events.visibleRanges!.fire({ textEditor: editor })
      }
    }
    return editor
  }

  /** Shows a tab in the only group. A preview is replaced by the next one. */
  function openTab(tab: Tab) {
    tabs = [...tabs.filter(({ label }) => label !== tab.label), tab]
    activate(tab)
  }

  function activate(tab: Tab | undefined) {
    active = tab
    editors = tab?.documents.map(createEditor) ?? []
    events.tabs!.fire({})
    events.visibleEditors!.fire(editors)
  }

  function changeText(document: TextDocument, text: string, isDirty: boolean) {
    document.setText(text)
    document.isDirty = isDirty
    events.changeDocument!.fire({ document })
  }

  const window = {
    onDidChangeTextEditorVisibleRanges: events.visibleRanges!.event,
    onDidChangeVisibleTextEditors: events.visibleEditors!.event,
    onDidChangeWindowState: events.windowState!.event,
    onDidCloseTerminal: events.closeTerminal!.event,
    get visibleTextEditors() {
      return editors
    },
    get activeTextEditor() {
      return editors[0]
    },
    tabGroups: {
      onDidChangeTabs: events.tabs!.event,
      onDidChangeTabGroups: events.tabGroups!.event,
      get all() {
        return [{ tabs }]
      },
      get activeTabGroup() {
        return { activeTab: active }
      },
      async close(closed: readonly Tab[]) {
        tabs = tabs.filter(tab => !closed.includes(tab))
        if (active && closed.includes(active)) activate(tabs.at(-1))
        else events.tabs!.fire({})
      }
    },
    async showTextDocument(uri: Uri, options: Any = {}) {
      const document = await openDocument(uri)
      opened.push(`${options.preserveFocus ? 'behind ' : ''}${uri.path.split('/').at(-1)}`)
      if (!options.preserveFocus)
        openTab({ label: uri.path.split('/').at(-1)!, input: new TabInputText(uri), documents: [document] })
      return editors.find(editor => editor.document === document) ?? createEditor(document)
    },
    createTreeView(id: string, { treeDataProvider }: Any) {
      const view = { badge: undefined, dispose() {} }
      trees.set(id, { view, provider: treeDataProvider })
      return view
    },
    createStatusBarItem(id: string) {
      const item = {
        isVisible: false,
        show() {
          item.isVisible = true
        },
        hide() {
          item.isVisible = false
        },
        dispose() {}
      }
      statusItems.set(id, item)
      return item
    },
    setStatusBarMessage: (text: string) => brief.push(text.replace('$(shield) Toolgate: ', '')),
    showInformationMessage: notify,
    showWarningMessage: notify,
    showErrorMessage: notify,
    showInputBox: ask,
    showQuickPick: async (items: Any[], options: Any) => {
      const answer = await ask({ items, ...options })
      return items.find(({ label }) => label === answer)
    },
    createOutputChannel: () => ({ appendLine() {}, show() {}, dispose() {} }),
    createTerminal(options: Any) {
      const terminal = { name: options.name, text: '', options, show: () => options.pty.open() }
      options.pty.onDidWrite((text: string) => {
        terminal.text += text
      })
      terminals.push(terminal)
      return terminal
    },
    withProgress: (_options: unknown, run: () => unknown) => run()
  }

  const vscode = {
    EventEmitter,
    Disposable,
    Uri,
    Position,
    Range,
    Selection: Range,
    ThemeIcon: Value,
    ThemeColor: Value,
    TreeItem,
    CodeLens,
    TabInputText,
    TabInputTextDiff,
    WorkspaceEdit,
    FileSystemError: { FileNotFound: Error, NoPermissions: Error },
    FileChangeType: { Changed: 1 },
    FileType: { File: 1 },
    StatusBarAlignment: { Left: 1 },
    TextEditorRevealType: { AtTop: 3, InCenter: 1, InCenterIfOutsideViewport: 2 },
    ViewColumn: { Active: -1, Beside: -2 },
    ConfigurationTarget: { Global: 1 },
    ProgressLocation: { Window: 10 },
    CommentMode: { Editing: 0, Preview: 1 },
    CommentThreadCollapsibleState: { Expanded: 1 },
    comments: {
      createCommentController: () => {
        commentController = { dispose() {} }
        return commentController
      }
    },
    window,
    env: {
      asExternalUri: async (uri: Uri) => uri,
      openExternal: async (uri: Uri) => opened.push(`browser ${uri.path}`)
    },
    languages: {
      registerCodeLensProvider: (_selector: unknown, provider: Any) => {
        lenses = provider
        return new Disposable(() => {})
      },
      getDiagnostics: () => diagnostics
    },
    commands: {
      registerCommand(id: string, run: (...args: unknown[]) => unknown) {
        commands.set(id, run)
        return new Disposable(() => commands.delete(id))
      },
      async executeCommand(id: string, ...args: Any[]) {
        if (id === 'setContext') return contexts.set(args[0], args[1])
        if (id === 'vscode.diff') {
          const [original, modified, label] = args
          const documents = [await openDocument(original), await openDocument(modified)]
          return openTab({ label, input: new TabInputTextDiff(original, modified), documents })
        }
        if (id === 'vscode.changes') {
          const [label, resources] = args
          const all = await Promise.all(resources.flatMap(([, ...pair]: Uri[]) => pair.map(openDocument)))
          return openTab({ label: `${label} (${resources.length} files)`, input: undefined, documents: all })
        }
        return commands.get(id)?.(...args)
      }
    },
    workspace: {
      workspaceFolders: [{ uri: Uri.file(root), name: 'project' }],
      onDidChangeTextDocument: events.changeDocument!.event,
      onDidSaveTextDocument: events.saveDocument!.event,
      onDidCloseTextDocument: events.closeDocument!.event,
      onDidChangeConfiguration: events.configuration!.event,
      onDidChangeWorkspaceFolders: events.folders!.event,
      get textDocuments() {
        return [...documents.values()]
      },
      registerTextDocumentContentProvider(scheme: string, provider: Any) {
        providers.set(scheme, provider)
        return provider.onDidChange((uri: Uri) => {
          const document = documents.get(uri.toString())
          if (document) changeText(document, provider.provideTextDocumentContent(uri), false)
        })
      },
      registerFileSystemProvider(scheme: string, provider: Any) {
        providers.set(scheme, provider)
        return new Disposable(() => {})
      },
      getConfiguration: (section: string) => ({
        get: (name: string) => settings[`${section}.${name}`],
        update: async (name: string, value: unknown) => opened.push(`setting ${section}.${name} ${value}`)
      }),
      async applyEdit({ edits }: WorkspaceEdit) {
        for (const { uri, range, text } of edits) {
          const document = await openDocument(uri)
          const before = document.getText()
          const [start, end] = [document.offsetAt(range.start), document.offsetAt(range.end)]
          changeText(document, before.slice(0, start) + text + before.slice(end), true)
        }
        return true
      }
    }
  }

  return {
    vscode,
    contexts,
    messages,
    brief,
    opened,
    answers,
    questions,
    terminals,
    diagnostics,
    statusText: (id: string) => (statusItems.get(id).isVisible ? statusItems.get(id).text : ''),
    badge: () => trees.get('toolgate.waiting').view.badge?.value,
    /** Returns the items of a tree. */
    items: (id: string) => {
      const { provider } = trees.get(id)
      return (provider.getChildren() as unknown[]).map(element => ({
        element,
        ...provider.getTreeItem(element)
      })) as Any[]
    },
    /** Runs a command as a key or a menu does. */
    run: async (id: string, ...args: unknown[]) => {
      const command = commands.get(id)
      if (!command) throw new Error(`There is no command ${id}.`)
      return command(...args)
    },
    tabs: () => tabs.map(({ label }) => label),
    activeTab: () => active?.label,
    /** Returns the text of the active tab; of a comparison, that of the right side. */
    activeText: () => active?.documents.at(-1)?.getText() ?? '',
    buttons: () => {
      const found = active && lenses.provideCodeLenses(active.documents[0])
      return (found as CodeLens[]).map(({ command }) => command.title)
    },
    /** Comments on a line of the active comparison, as the person does beside the line. Returns the thread. */
    async comment(side: 'old' | 'new', line: number, text: string) {
      const { uri } = active!.documents.at(side === 'old' ? 0 : 1)!
      const ranges: Range[] = commentController.commentingRangeProvider.provideCommentingRanges({ uri })
      if (!ranges.some(({ start, end }) => start.line <= line - 1 && line - 1 <= end.line))
        throw new Error(`Line ${line} cannot be commented on.`)
      const thread = { uri, range: new Range(line - 1, 0, line - 1, 0), dispose: () => threads.delete(thread) } as Any
      threads.add(thread)
      await commands.get('toolgate.addComment')!({ thread, text })
      return thread
    },
    /** Returns the comments in editors, as `line: text`. */
    comments: () => [...threads].map(({ range, comments: [{ body }] }) => `${range.end.line + 1}: ${body}`),
    closeActive: () => window.tabGroups.close(active ? [active] : []),
    /** Changes the text of a file, without saving it. */
    async type(uri: Uri, text: string) {
      changeText(await openDocument(uri), text, true)
    },
    /** Changes the text of the right side of the active tab. */
    typeHere: (text: string) => changeText(active!.documents.at(-1)!, text, true),
    fileUri: (path: string) => Uri.file(path),
    save: async (uri: Uri) => (await openDocument(uri)).save()
  }
}

export type FakeWindow = ReturnType<typeof createWindow>
