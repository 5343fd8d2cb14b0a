// The comments on the lines of waiting calls, which are sent with a rejection.
import { signal } from '@preact/signals'
import type { RejectRequest } from '../../src/client/client.ts'
import type { Commenting, LineComment, LineTarget } from '../diff/line-comments.tsx'

/** Maximum number of comments that the server accepts. */
const MAX_COMMENTS = 50

const commentsByCall = signal<ReadonlyMap<string, readonly LineComment[]>>(new Map())
const draft = signal<{ id: string; target: LineTarget } | undefined>(undefined)

export const commentsOn = (id: string): readonly LineComment[] => commentsByCall.value.get(id) ?? []

export function setComments(id: string, comments: readonly LineComment[]) {
  const all = new Map(commentsByCall.peek())
  if (comments.length > 0) all.set(id, comments)
  else all.delete(id)
  commentsByCall.value = all
}

/** Returns what a rejection says of its comments. */
export const toRejection = (id: string): Pick<RejectRequest, 'comments'> => {
  const comments = commentsByCall.peek().get(id)
  if (!comments) return {}
  return {
    comments: comments.map(({ side, ...comment }) => (side === 'old' ? { ...comment, side } : comment))
  }
}

export function openDraft(id: string, target: LineTarget) {
  if ((commentsByCall.peek().get(id)?.length ?? 0) < MAX_COMMENTS) draft.value = { id, target }
}

export const commentingOn = (id: string): Commenting => {
  const comments = commentsOn(id)
  const close = () => {
    draft.value = undefined
    document.querySelector<HTMLElement>('.card')?.focus({ preventScroll: true })
  }
  return {
    comments,
    draft: draft.value?.id === id ? draft.value.target : undefined,
    open: target => openDraft(id, target),
    save(text) {
      const open = draft.peek()
      if (open) setComments(id, [...comments, { ...open.target, text }])
      close()
    },
    close,
    remove: comment =>
      setComments(
        id,
        comments.filter(each => each !== comment)
      )
  }
}
