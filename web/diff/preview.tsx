// The preview of a call before the decision: notes, text and diff.
import type { Approval } from '../../src/client/client.ts'
import { markInvisible } from '../text/invisible.tsx'
import { TextBlock } from '../text/text-block.tsx'
import { Diff } from './diff.tsx'

type Preview = Approval['preview']

export const PreviewView = ({ preview }: { preview: Preview }) => (
  <>
    <PreviewNotes preview={preview} />
    {preview.text !== undefined && <TextBlock text={preview.text} label="What it would do" />}
    {preview.diff !== undefined && <Diff text={preview.diff} />}
  </>
)

export const PreviewNotes = ({ preview: { notes = [] } }: { preview: Preview }) => (
  <>
    {notes.map(note => (
      <p key={note} class="notice warn">
        {markInvisible(note)}
      </p>
    ))}
  </>
)
