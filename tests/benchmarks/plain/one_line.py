"""The least a streamlit app can be: what its start takes is streamlit's own share."""

import streamlit as st

st.title("One line")
