"""What a language model knows, and how it behaves when it plays a person."""
