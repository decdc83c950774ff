"""What people are asked to label: drawn before anybody looks at a score, as sheet and page."""
