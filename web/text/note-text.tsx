// A note of the server: text between backquotes is code.
import { markInvisible } from './invisible.tsx'

export const NoteText = ({ text }: { text: string }) => (
  <>
    {text
      .split(/`([^`]+)`/)
      .map((piece, index) =>
        index % 2 === 1 ? <code key={index}>{markInvisible(piece)}</code> : markInvisible(piece)
      )}
  </>
)
