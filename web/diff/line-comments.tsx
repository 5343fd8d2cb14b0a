// Comments on lines of a diff. A click on the number of a line, or a key of the card, opens the form below the line.
import { createContext } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { SubmitButton } from '../shell/dialog.tsx'
import { markInvisible } from '../text/invisible.tsx'
import type { DiffRow } from './diff-rows.ts'

/** A line of a file, by its number in the old or in the new text. */
export interface LineTarget {
  path: string
  side: 'old' | 'new'
  line: number
}

export interface LineComment extends LineTarget {
  text: string
}

/** Maximum number of characters of a comment that the server accepts. */
const MAX_COMMENT_LENGTH = 2_000

/** The comments on the files of one diff. */
export interface Commenting {
  comments: readonly LineComment[]
  /** The line with an open form. */
  draft: LineTarget | undefined
  open(target: LineTarget): void
  /** Saves the comment on the line of the form, and closes the form. */
  save(text: string): void
  close(): void
  remove(comment: LineComment): void
}

/** The comments on one file. */
export interface CommentedFile {
  path: string
  commenting: Commenting
}

/** Provides the file; undefined where nothing can be commented on. */
export const FileCommenting = createContext<CommentedFile | undefined>(undefined)

/** Returns the line that a row shows; a removed line counts in the old text. Headers have none. */
export function targetOf(path: string, row: DiffRow | undefined): LineTarget | undefined {
  if (row?.kind === 'removed') return { path, side: 'old', line: row.old! }
  return row?.kind === 'added' || row?.kind === 'same' ? { path, side: 'new', line: row.new! } : undefined
}

const isAt = (a: LineTarget | undefined, b: LineTarget | undefined) =>
  a !== undefined && b !== undefined && a.path === b.path && a.side === b.side && a.line === b.line

export const hasCommentAt = ({ comments, draft }: Commenting, target: LineTarget | undefined): boolean =>
  isAt(draft, target) || comments.some(comment => isAt(comment, target))

/** The comments on a line, and the form if it is open there. */
export function CommentsAt({ target, commenting }: { target: LineTarget; commenting: Commenting }) {
  const { comments, draft, remove } = commenting
  return (
    <div class="line-comments">
      {comments
        .filter(comment => isAt(comment, target))
        .map((comment, index) => (
          <p key={index} class="line-comment">
            <span>{markInvisible(comment.text)}</span>{' '}
            <button
              type="button"
              class="button quiet small"
              aria-label={`Remove the comment on ${describeLine(target)}`}
              onClick={() => remove(comment)}
            >
              Remove
            </button>
          </p>
        ))}
      {isAt(draft, target) && <CommentForm target={target} commenting={commenting} />}
    </div>
  )
}

const describeLine = ({ side, line }: LineTarget) => (side === 'old' ? `removed line ${line}` : `line ${line}`)

function CommentForm({ target, commenting: { save, close, open } }: { target: LineTarget; commenting: Commenting }) {
  const text = useRef<HTMLTextAreaElement>(null)
  useLayoutEffect(() => text.current?.focus(), [])
  const submit = () => {
    const written = text.current!.value.trim()
    if (written === '') close()
    else save(written)
  }
  return (
    <form
      class="comment-form"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') close()
        else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <label class="field">
        Comment on {describeLine(target)}
        <textarea ref={text} class="input" maxLength={MAX_COMMENT_LENGTH} />
      </label>
      <div class="row">
        <SubmitButton type="submit">Add comment</SubmitButton>
        <button type="button" class="button quiet" onClick={close}>
          Cancel
        </button>
        <label class="row small">
          Line
          <input
            type="number"
            class="input comment-line"
            min={1}
            required
            defaultValue={String(target.line)}
            onChange={({ currentTarget }) => {
              if (currentTarget.checkValidity()) open({ ...target, line: currentTarget.valueAsNumber })
            }}
          />
        </label>
      </div>
    </form>
  )
}
