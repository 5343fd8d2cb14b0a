// Comments on lines in the diff editors of waiting calls, as in a pull request. A rejection sends them.
import * as vscode from 'vscode'
import type { FileLine } from '../model/card.ts'
import {
  formatCommentCount,
  getDiffPath,
  listCommentableLines,
  MAX_COMMENT_LENGTH,
  MAX_COMMENTS,
  type ReviewComment,
  toReviewComment
} from '../model/review-comments.ts'
import type { Session } from '../model/session.ts'
import type { WaitingEntry } from '../model/waiting-calls.ts'
import { type RegisterCommand, report } from './commands.ts'
import { parseUri } from './uris.ts'

/** A comment in a thread. VS Code changes `body` while the person edits it. */
class LineComment implements vscode.Comment {
  readonly author = { name: 'You' }
  readonly thread: vscode.CommentThread
  body: string
  mode = vscode.CommentMode.Preview
  /** The text that is sent. Missing if it was never valid. */
  text?: string

  constructor(thread: vscode.CommentThread, body: string) {
    this.thread = thread
    this.body = body
  }
}

/** A thread with the comment on a line of a call. */
interface LineThread {
  readonly id: string
  readonly path: string
  readonly at: FileLine
  readonly comment: LineComment
}

export class LineComments implements vscode.Disposable {
  readonly #session: Session
  readonly #controller = vscode.comments.createCommentController('toolgate', 'Toolgate')
  readonly #listeners: vscode.Disposable
  #threads: readonly LineThread[] = []

  constructor(session: Session) {
    this.#session = session
    this.#controller.options = { prompt: 'Comment', placeHolder: 'Comment for the agent, sent with a rejection' }
    this.#controller.commentingRangeProvider = { provideCommentingRanges: ({ uri }) => this.#listRanges(uri) }
    this.#listeners = vscode.Disposable.from(
      session.calls.renewed.listen(entry => void this.#renew(entry)),
      session.calls.settled.listen(({ entry }) => this.#removeAll(entry.call.tool_call_id))
    )
  }

  register(command: RegisterCommand) {
    command('toolgate.comment', () => vscode.commands.executeCommand('workbench.action.addComment'))
    command('toolgate.addComment', ({ thread, text }: vscode.CommentReply) => this.#add(thread, text))
    command('toolgate.editComment', (comment: LineComment) => setMode(comment, vscode.CommentMode.Editing))
    command('toolgate.saveComment', (comment: LineComment) => save(comment))
    command('toolgate.cancelComment', (comment: LineComment) => this.#cancel(comment))
    command('toolgate.removeComment', (comment: LineComment) => this.#remove(comment.thread))
  }

  /** Returns the comments on a call. */
  of({ call }: WaitingEntry): ReviewComment[] {
    return this.#threadsOf(call.tool_call_id).flatMap(({ path, at, comment: { text } }) =>
      text === undefined ? [] : [toReviewComment(path, at, text)]
    )
  }

  dispose() {
    this.#listeners.dispose()
    this.#controller.dispose()
  }

  #threadsOf(id: string) {
    return this.#threads.filter(thread => thread.id === id)
  }

  #listRanges(uri: vscode.Uri): vscode.Range[] {
    const ref = parseUri(uri)
    const entry = ref?.part === 'side' ? this.#session.calls.find(ref.id) : undefined
    if (ref?.part !== 'side' || !entry) return []
    return listCommentableLines(entry, ref).map(toRange)
  }

  /** Adds the comment that a person has written in an empty thread. */
  #add(thread: vscode.CommentThread, text: string) {
    const ref = parseUri(thread.uri)
    const entry = ref?.part === 'side' ? this.#session.calls.find(ref.id) : undefined
    const path = ref?.part === 'side' && entry?.whole ? getDiffPath(entry.whole, ref) : undefined
    if (ref?.part !== 'side' || !entry || path === undefined) return this.#refuse(thread, 'this call no longer waits')
    const { id, file, side } = ref
    // The line at which VS Code shows a thread on several lines.
    const at = { file, side, line: thread.range.end.line }
    if (!listCommentableLines(entry, ref).includes(at.line)) return this.#refuse(thread, 'the line is not in the diff')
    if (this.#threadsOf(id).length >= MAX_COMMENTS)
      return this.#refuse(thread, `a rejection has at most ${MAX_COMMENTS} comments`)
    const comment = new LineComment(thread, text)
    thread.range = toRange(at.line)
    thread.canReply = false
    thread.label = 'Sent with a rejection'
    thread.comments = [comment]
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded
    this.#threads = [...this.#threads, { id, path, at, comment }]
    save(comment)
  }

  #refuse(thread: vscode.CommentThread, why: string) {
    thread.dispose()
    report({ level: 'warning', text: `The comment was not added: ${why}.` })
  }

  /** Restores the text of a comment. One that was never valid is removed. */
  #cancel(comment: LineComment) {
    if (comment.text === undefined) return this.#remove(comment.thread)
    comment.body = comment.text
    setMode(comment, vscode.CommentMode.Preview)
  }

  #remove(thread: vscode.CommentThread) {
    this.#threads = this.#threads.filter(({ comment }) => comment.thread !== thread)
    thread.dispose()
  }

  #removeAll(id: string) {
    for (const { comment } of this.#threadsOf(id)) this.#remove(comment.thread)
  }

  /** Keeps the comments on lines that the new preview shows too, and reports the number of others. */
  async #renew(entry: WaitingEntry) {
    const threads = this.#threadsOf(entry.call.tool_call_id)
    if (threads.length === 0 || entry.edited) return
    const whole = await this.#session.calls.loadPreview(entry, this.#session.requireClient()).catch(() => undefined)
    if (!whole) return
    const renewed = { ...entry, whole }
    const dropped = threads.filter(
      ({ path, at }) => getDiffPath(whole, at) !== path || !listCommentableLines(renewed, at).includes(at.line)
    )
    for (const { comment } of dropped) this.#remove(comment.thread)
    // VS Code may have moved a thread together with the text.
    for (const { at, comment } of this.#threadsOf(entry.call.tool_call_id)) comment.thread.range = toRange(at.line)
    if (dropped.length > 0) {
      const what = `${formatCommentCount(dropped.length)} ${dropped.length === 1 ? 'was' : 'were'} dropped`
      report({ level: 'warning', text: `${what}: the lines are no longer in the diff.` })
    }
  }
}

const toRange = (line: number) => new vscode.Range(line, 0, line, 0)

/** Saves the text of a comment. One that is empty or too long remains in its editor. */
function save(comment: LineComment) {
  const text = comment.body.trim()
  const isValid = text !== '' && text.length <= MAX_COMMENT_LENGTH
  if (isValid) comment.text = text
  else report({ level: 'warning', text: `A comment has 1 to ${MAX_COMMENT_LENGTH} characters.` })
  setMode(comment, isValid ? vscode.CommentMode.Preview : vscode.CommentMode.Editing)
}

/** Sets the mode of a comment. VS Code shows it when the list of the thread is set. */
function setMode(comment: LineComment, mode: vscode.CommentMode) {
  comment.mode = mode
  comment.thread.comments = [comment]
}
