// What a call would do, as it is shown before anybody decides: notes, the text of what it does, and the diff.
import type { Approval } from '../../src/client/client.ts'
import { marked } from '../text/invisible.tsx'
import { Block } from '../text/text-block.tsx'
import { Diff } from './diff.tsx'

type Preview = Approval['preview']

export const Shown = ({ preview }: { preview: Preview }) => (
  <>
    <Notes preview={preview} />
    {preview.text !== undefined && <Block text={preview.text} label="What it would do" />}
    {preview.diff !== undefined && <Diff text={preview.diff} />}
  </>
)

export const Notes = ({ preview: { notes = [] } }: { preview: Preview }) => (
  <>
    {notes.map(note => (
      <p key={note} class="notice warn">
        {marked(note)}
      </p>
    ))}
  </>
)
