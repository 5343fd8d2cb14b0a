/** An error message, announced at once to screen readers; renders nothing without an error. */
export const ErrorNotice = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p class="notice bad" role="alert">
      {text}
    </p>
  )
